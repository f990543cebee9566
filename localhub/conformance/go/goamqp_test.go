package conformance

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/Azure/go-amqp"
)

// connect opens a connection of go-amqp, the library below the SDK.
func (c *clients) connect(options *amqp.ConnOptions) (*amqp.Conn, error) {
	host := "localhost:" + os.Getenv("LOCALHUB_TLS_PORT")
	switch c.transport {
	case "plain":
		return amqp.Dial(c.ctx, "amqp://localhost:"+os.Getenv("LOCALHUB_AMQP_PORT"), options)
	case "TLS":
		options.TLSConfig = &tls.Config{ServerName: "localhost"}
		return amqp.Dial(c.ctx, "amqps://"+host, options)
	default:
		options.HostName = "localhost"
		socket, err := dialWebSocket(c.ctx, "wss://"+host+"/$servicebus/websocket")
		if err != nil {
			return nil, err
		}
		return amqp.NewConn(c.ctx, socket, options)
	}
}

// session signs in with a policy's name and key, as with the service.
func (c *clients) session(policy string) *amqp.Session {
	c.t.Helper()
	connection, err := c.connect(&amqp.ConnOptions{SASLType: amqp.SASLTypePlain(policy, "SAS_KEY_VALUE")})
	c.check(err)
	c.t.Cleanup(func() { _ = connection.Close() })
	session, err := connection.NewSession(c.ctx, nil)
	c.check(err)
	return session
}

func (c *clients) amqpReader(session *amqp.Session, comparison string) (*amqp.Receiver, error) {
	filter := amqp.NewSelectorFilter("amqp.annotation." + comparison)
	options := &amqp.ReceiverOptions{Filters: []amqp.LinkFilter{filter}}
	return session.NewReceiver(c.ctx, c.hub+"/ConsumerGroups/$Default/Partitions/0", options)
}

// first is the first message of a reader with this selector.
func (c *clients) first(session *amqp.Session, comparison string) *amqp.Message {
	c.t.Helper()
	reader, err := c.amqpReader(session, comparison)
	c.check(err)
	message, err := reader.Receive(c.ctx, nil)
	c.check(err)
	return message
}

func TestGoAMQPSendsAndReadsFromThePositionOfItsSelector(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		session := c.session("RootManageSharedAccessKey")
		sender, err := session.NewSender(c.ctx, c.hub+"/Partitions/0", nil)
		c.check(err)
		for _, body := range []string{"a", "b", "c"} {
			c.check(sender.Send(c.ctx, amqp.NewMessage([]byte(body)), nil))
		}
		second := c.first(session, "x-opt-sequence-number > '0'")
		expect(t, "after 0", string(second.GetData()), "b")
		offset := fmt.Sprintf("x-opt-offset > '%v'", second.Annotations["x-opt-offset"])
		expect(t, offset, string(c.first(session, offset).GetData()), "c")
		expect(t, "any time", string(c.first(session, "x-opt-enqueuedtimeutc >= 0").GetData()), "a")
	})
}

func TestGoAMQPGetsTheRefusalsOfTheService(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		refused := func(what string, err error, condition amqp.ErrCond, words string) {
			t.Helper()
			var remote *amqp.Error
			if !errors.As(err, &remote) || remote.Condition != condition || !strings.Contains(remote.Description, words) {
				t.Fatalf("%s: %v, expected %s with %q", what, err, condition, words)
			}
		}
		session := c.session("RootManageSharedAccessKey")
		_, err := c.amqpReader(session, "color > '1'")
		refused("filter", err, "com.microsoft:argument-error", "is not a valid amqp filter for EventHub entities")
		_, err = session.NewSender(c.ctx, c.hub+"/Partitions/9", nil)
		refused("partition", err, "com.microsoft:argument-out-of-range", "between 0 and 3")
		_, err = c.amqpReader(c.session("sender"), "x-opt-offset > '-1'")
		if err == nil || !strings.Contains(err.Error(), "'Listen' claim(s) are required") {
			t.Fatalf("claim: %v", err)
		}
	})
}
