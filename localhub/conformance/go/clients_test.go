// Package conformance tests the local hub, started by tools/run_conformance.py, with the official Go SDK.
package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	eventhubs "github.com/Azure/azure-sdk-for-go/sdk/messaging/azeventhubs/v2"
	"github.com/coder/websocket"
)

const timeout = time.Minute

var (
	transports = []string{"plain", "TLS", "WebSockets"}
	noRetry    = eventhubs.RetryOptions{MaxRetries: -1}
	patient    = eventhubs.RetryOptions{MaxRetries: 10, RetryDelay: 20 * time.Millisecond, MaxRetryDelay: 100 * time.Millisecond}
	earliest   = true
	hubs       atomic.Int32
)

// clients are the clients of one test: one transport, and an event hub that no other test uses.
type clients struct {
	t         *testing.T
	ctx       context.Context
	transport string
	hub       string
}

// overEach runs the test once for each transport.
func overEach(t *testing.T, body func(t *testing.T, c *clients)) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*timeout)
			t.Cleanup(cancel)
			c := &clients{t, ctx, transport, fmt.Sprintf("go-%d", hubs.Add(1))}
			c.http("PUT", "/hubs/"+c.hub+"?partitions=4", nil)
			t.Cleanup(func() { c.http("DELETE", "/hubs/"+c.hub, nil) })
			body(t, c)
		})
	}
}

func (c *clients) connectionString(policy, key string) string {
	host, flag := "localhost", ""
	switch c.transport {
	case "plain":
		host, flag = "localhost:"+os.Getenv("LOCALHUB_AMQP_PORT"), "UseDevelopmentEmulator=true;"
	case "WebSockets":
		host = "localhost:" + os.Getenv("LOCALHUB_TLS_PORT")
	}
	return fmt.Sprintf("Endpoint=sb://%s;SharedAccessKeyName=%s;SharedAccessKey=%s;%sEntityPath=%s", host, policy, key, flag, c.hub)
}

// The SDK treats a port in the connection string as part of the certificate's name.
func (c *clients) endpoint() string {
	if c.transport != "TLS" {
		return ""
	}
	return "localhost:" + os.Getenv("LOCALHUB_TLS_PORT")
}

func (c *clients) root() string {
	return c.connectionString("RootManageSharedAccessKey", "SAS_KEY_VALUE")
}

func (c *clients) webSocket() func(context.Context, eventhubs.WebSocketConnParams) (net.Conn, error) {
	if c.transport != "WebSockets" {
		return nil
	}
	return func(ctx context.Context, params eventhubs.WebSocketConnParams) (net.Conn, error) {
		return dialWebSocket(ctx, params.Host)
	}
}

func dialWebSocket(ctx context.Context, url string) (net.Conn, error) {
	connection, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{"amqp"}})
	if err != nil {
		return nil, err
	}
	connection.SetReadLimit(-1)
	return websocket.NetConn(context.Background(), connection, websocket.MessageBinary), nil
}

func (c *clients) producerOf(connection string, retry eventhubs.RetryOptions) *eventhubs.ProducerClient {
	options := &eventhubs.ProducerClientOptions{RetryOptions: retry, NewWebSocketConn: c.webSocket(), CustomEndpoint: c.endpoint()}
	producer, err := eventhubs.NewProducerClientFromConnectionString(connection, "", options)
	c.check(err)
	c.t.Cleanup(func() { _ = producer.Close(context.Background()) })
	return producer
}

func (c *clients) producer() *eventhubs.ProducerClient { return c.producerOf(c.root(), noRetry) }

func (c *clients) consumerOf(connection string, retry eventhubs.RetryOptions) *eventhubs.ConsumerClient {
	options := &eventhubs.ConsumerClientOptions{RetryOptions: retry, NewWebSocketConn: c.webSocket(), CustomEndpoint: c.endpoint()}
	consumer, err := eventhubs.NewConsumerClientFromConnectionString(connection, "", "$Default", options)
	c.check(err)
	c.t.Cleanup(func() { _ = consumer.Close(context.Background()) })
	return consumer
}

// reader creates a reader of partition 0; its link opens with the first receive call.
func (c *clients) reader(consumer *eventhubs.ConsumerClient, options eventhubs.PartitionClientOptions) *eventhubs.PartitionClient {
	if options.StartPosition == (eventhubs.StartPosition{}) {
		options.StartPosition.Earliest = &earliest
	}
	partition, err := consumer.NewPartitionClient("0", &options)
	c.check(err)
	c.t.Cleanup(func() { _ = partition.Close(context.Background()) })
	return partition
}

func (c *clients) newReader(options eventhubs.PartitionClientOptions) *eventhubs.PartitionClient {
	return c.reader(c.consumerOf(c.root(), noRetry), options)
}

// take receives count events.
func (c *clients) take(reader *eventhubs.PartitionClient, count int) []*eventhubs.ReceivedEventData {
	c.t.Helper()
	var taken []*eventhubs.ReceivedEventData
	for len(taken) < count {
		ctx, cancel := context.WithTimeout(c.ctx, timeout)
		events, err := reader.ReceiveEvents(ctx, count-len(taken), nil)
		cancel()
		c.check(err)
		taken = append(taken, events...)
	}
	return taken
}

func (c *clients) send(producer *eventhubs.ProducerClient, options eventhubs.EventDataBatchOptions, bodies ...string) error {
	batch, err := producer.NewEventDataBatch(c.ctx, &options)
	if err != nil {
		return err
	}
	for _, body := range bodies {
		c.check(batch.AddEventData(&eventhubs.EventData{Body: []byte(body)}, nil))
	}
	return producer.SendEventDataBatch(c.ctx, batch, nil)
}

func (c *clients) sendToZero(bodies ...string) { c.check(c.send(c.producer(), toZero(), bodies...)) }

func toZero() eventhubs.EventDataBatchOptions {
	zero := "0"
	return eventhubs.EventDataBatchOptions{PartitionID: &zero}
}

// injected is a fault and how often it has happened.
type injected struct {
	Hub  string
	Hits int
}

// inject injects a fault; see docs/local-hub.md, Faults.
func (c *clients) inject(fault map[string]any) injected {
	c.t.Helper()
	fault["hub"] = c.hub
	var answer injected
	c.check(json.Unmarshal(c.http("POST", "/faults", fault), &answer))
	return answer
}

// injectNow injects a fault that happens at once. It fails if the fault hits nothing.
func (c *clients) injectNow(action string) {
	c.t.Helper()
	if c.inject(map[string]any{"action": action}).Hits == 0 {
		c.t.Fatalf("the fault hit nothing: %s", action)
	}
}

// activeFaults are those that can still happen to this hub.
func (c *clients) activeFaults() []injected {
	c.t.Helper()
	var answer struct{ Faults []injected }
	c.check(json.Unmarshal(c.http("GET", "/faults", nil), &answer))
	return slices.DeleteFunc(answer.Faults, func(fault injected) bool { return fault.Hub != c.hub })
}

func (c *clients) http(method, path string, body any) []byte {
	c.t.Helper()
	content, err := json.Marshal(body)
	c.check(err)
	request, err := http.NewRequest(method, os.Getenv("LOCALHUB_HTTP_URL")+path, bytes.NewReader(content))
	c.check(err)
	response, err := http.DefaultClient.Do(request)
	c.check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	c.check(err)
	if response.StatusCode >= 300 {
		c.t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	return text
}

func (c *clients) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func bodies(events []*eventhubs.ReceivedEventData) string {
	var all []string
	for _, event := range events {
		all = append(all, string(event.Body))
	}
	return fmt.Sprint(all)
}
