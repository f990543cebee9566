package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	eventhubs "github.com/Azure/azure-sdk-for-go/sdk/messaging/azeventhubs/v2"
)

func expect(t *testing.T, what string, actual, expected any) {
	t.Helper()
	if fmt.Sprint(actual) != fmt.Sprint(expected) {
		t.Fatalf("%s: %v, expected %v", what, actual, expected)
	}
}

func expectError(t *testing.T, err error, code eventhubs.ErrorCode, words string) {
	t.Helper()
	var classified *eventhubs.Error
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Fatalf("%v, expected an error with the words %q", err, words)
	}
	if code != "" && (!errors.As(err, &classified) || classified.Code != code) {
		t.Fatalf("%v, expected the code %s", err, code)
	}
}

func TestABatchIsReceivedInOrderWithSequenceNumbersFrom0(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		c.sendToZero("a", "b", "c")
		events := c.take(c.newReader(eventhubs.PartitionClientOptions{}), 3)
		expect(t, "bodies", bodies(events), "[a b c]")
		for i, event := range events {
			expect(t, "sequence number", event.SequenceNumber, i)
		}
	})
}

func TestAnEventNear1MBIsReceivedUnchanged(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		body := bytes.Repeat([]byte("0123456789"), 100_000)
		c.sendToZero(string(body))
		if !bytes.Equal(c.take(c.newReader(eventhubs.PartitionClientOptions{}), 1)[0].Body, body) {
			t.Fatal("the body has changed")
		}
	})
}

func TestAnEventOverTheLimitThatTheHubAnnouncesIsRefusedByTheSDK(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		batch, err := c.producer().NewEventDataBatch(c.ctx, nil)
		c.check(err)
		err = batch.AddEventData(&eventhubs.EventData{Body: make([]byte, 1024*1024)}, nil)
		if !errors.Is(err, eventhubs.ErrEventDataTooLarge) {
			t.Fatalf("%v, expected ErrEventDataTooLarge", err)
		}
	})
}

func TestAPartitionKeyMapsToTheSamePartitionAsInEverySDK(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		key, producer := "pk1", c.producer()
		c.check(c.send(producer, eventhubs.EventDataBatchOptions{PartitionKey: &key}, "x"))
		partition, err := producer.GetPartitionProperties(c.ctx, "1", nil)
		c.check(err)
		expect(t, "last of partition 1", partition.LastEnqueuedSequenceNumber, 0)
	})
}

func TestReadingStartsAtTheGivenPosition(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		c.sendToZero("a", "b", "c", "d")
		one, offset := int64(1), c.take(c.newReader(eventhubs.PartitionClientOptions{}), 2)[1].Offset
		for _, each := range []struct {
			name     string
			from     eventhubs.StartPosition
			expected string
		}{
			{"after a sequence number", eventhubs.StartPosition{SequenceNumber: &one}, "[c d]"},
			{"at a sequence number", eventhubs.StartPosition{SequenceNumber: &one, Inclusive: true}, "[b c d]"},
			{"after an offset", eventhubs.StartPosition{Offset: &offset}, "[c d]"},
			{"at an offset", eventhubs.StartPosition{Offset: &offset, Inclusive: true}, "[b c d]"},
		} {
			reader := c.newReader(eventhubs.PartitionClientOptions{StartPosition: each.from})
			count := len(strings.Fields(each.expected))
			expect(t, each.name, bodies(c.take(reader, count)), each.expected)
		}
	})
}

func TestReadingStartsAfterAnEnqueuedTime(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		c.sendToZero("early")
		at := *c.take(c.newReader(eventhubs.PartitionClientOptions{}), 1)[0].EnqueuedTime
		for !time.Now().After(at.Add(2 * time.Millisecond)) {
			time.Sleep(time.Millisecond)
		}
		c.sendToZero("late")
		reader := c.newReader(eventhubs.PartitionClientOptions{StartPosition: eventhubs.StartPosition{EnqueuedTime: &at}})
		expect(t, "bodies", bodies(c.take(reader, 1)), "[late]")
	})
}

func TestPropertiesOfManyTypesArriveWithTypeAndValue(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		sent := map[string]any{
			"string": "Grüße", "bool": true, "int32": int32(-5), "int64": int64(1) << 62, "uint64": uint64(1) << 63,
			"float64": -0.1, "binary": []byte{0, 255}, "time": time.UnixMilli(1234567890123).UTC(),
		}
		id, kind := "m-1", "text/plain"
		producer := c.producer()
		options := toZero()
		batch, err := producer.NewEventDataBatch(c.ctx, &options)
		c.check(err)
		event := &eventhubs.EventData{Body: []byte("x"), Properties: sent, MessageID: &id, ContentType: &kind, CorrelationID: uint64(7)}
		c.check(batch.AddEventData(event, nil))
		c.check(producer.SendEventDataBatch(c.ctx, batch, nil))
		received := c.take(c.newReader(eventhubs.PartitionClientOptions{}), 1)[0]
		expect(t, "number of properties", len(received.Properties), len(sent))
		for name, value := range sent {
			expect(t, name, fmt.Sprintf("%T %v", received.Properties[name], received.Properties[name]), fmt.Sprintf("%T %v", value, value))
		}
		expect(t, "ids", fmt.Sprint([]any{*received.MessageID, *received.ContentType, received.CorrelationID}), "[m-1 text/plain 7]")
	})
}

func TestValueAndSequenceBodiesKeepTheirSection(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		producer, options := c.producer(), toZero()
		batch, err := producer.NewEventDataBatch(c.ctx, &options)
		c.check(err)
		value := eventhubs.AMQPAnnotatedMessageBody{Value: "a value"}
		sequence := eventhubs.AMQPAnnotatedMessageBody{Sequence: [][]any{{int64(1), "two"}}}
		c.check(batch.AddAMQPAnnotatedMessage(&eventhubs.AMQPAnnotatedMessage{Body: value}, nil))
		c.check(batch.AddAMQPAnnotatedMessage(&eventhubs.AMQPAnnotatedMessage{Body: sequence}, nil))
		c.check(producer.SendEventDataBatch(c.ctx, batch, nil))
		events := c.take(c.newReader(eventhubs.PartitionClientOptions{}), 2)
		expect(t, "value", events[0].RawAMQPMessage.Body.Value, "a value")
		expect(t, "sequence", events[1].RawAMQPMessage.Body.Sequence, "[[1 two]]")
	})
}

func TestAWrongKeyAndAMissingClaimAreUnauthorized(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		unauthorized := eventhubs.ErrorCodeUnauthorizedAccess
		wrong := c.producerOf(c.connectionString("RootManageSharedAccessKey", "WRONG"), noRetry)
		expectError(t, c.send(wrong, toZero(), "x"), unauthorized, "")
		listener := c.producerOf(c.connectionString("listener", "SAS_KEY_VALUE"), noRetry)
		expectError(t, c.send(listener, toZero(), "x"), unauthorized, "'Send' claim(s) are required")
		sender := c.reader(c.consumerOf(c.connectionString("sender", "SAS_KEY_VALUE"), noRetry), eventhubs.PartitionClientOptions{})
		_, err := sender.ReceiveEvents(c.ctx, 1, nil)
		expectError(t, err, unauthorized, "'Listen' claim(s) are required")
	})
}

func TestTheErrorNamesAnUnknownPartitionAndTheExistingOnes(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		nine := "9"
		err := c.send(c.producer(), eventhubs.EventDataBatchOptions{PartitionID: &nine}, "x")
		expectError(t, err, "", "between 0 and 3")
		_, err = c.producer().GetPartitionProperties(c.ctx, nine, nil)
		expectError(t, err, "", "between 0 and 3")
	})
}

func TestAHigherOwnerLevelTakesOverAndThePreviousReaderLosesOwnership(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		c.sendToZero("x")
		level := func(n int64) eventhubs.PartitionClientOptions {
			return eventhubs.PartitionClientOptions{OwnerLevel: &n}
		}
		first := c.newReader(level(1))
		c.take(first, 1)
		c.take(c.newReader(level(2)), 1)
		_, err := first.ReceiveEvents(c.ctx, 1, nil)
		expectError(t, err, eventhubs.ErrorCodeOwnershipLost, "with higher epoch of '2' is created")
		_, err = c.newReader(level(1)).ReceiveEvents(c.ctx, 1, nil)
		expectError(t, err, eventhubs.ErrorCodeConnectionLost, "with a higher epoch '2' already exists")
	})
}

func TestASixthReaderIsRefused(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		c.sendToZero("x")
		for i := 0; i < 5; i++ {
			c.take(c.newReader(eventhubs.PartitionClientOptions{}), 1)
		}
		_, err := c.newReader(eventhubs.PartitionClientOptions{}).ReceiveEvents(c.ctx, 1, nil)
		expectError(t, err, "", "maximum number of allowed receivers per partition in a consumer group which is 5")
	})
}

func TestHubAndPartitionProperties(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		producer := c.producer()
		hub, err := producer.GetEventHubProperties(c.ctx, nil)
		c.check(err)
		expect(t, "hub", fmt.Sprint(hub.Name, hub.PartitionIDs), fmt.Sprint(c.hub, []string{"0", "1", "2", "3"}))
		empty, err := producer.GetPartitionProperties(c.ctx, "0", nil)
		c.check(err)
		c.sendToZero("a", "b")
		full, err := producer.GetPartitionProperties(c.ctx, "0", nil)
		c.check(err)
		expect(t, "empty", fmt.Sprint(empty.IsEmpty, empty.LastEnqueuedSequenceNumber), "true -1")
		expect(t, "full", fmt.Sprint(full.IsEmpty, full.BeginningSequenceNumber, full.LastEnqueuedSequenceNumber), "false 0 1")
	})
}

func TestTheSDKRetriesAThrottledSendAndTheEventIsStoredOnce(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		c.inject(map[string]any{"action": "throttle", "count": 1})
		producer := c.producerOf(c.root(), patient)
		c.check(c.send(producer, toZero(), "x"))
		partition, err := producer.GetPartitionProperties(c.ctx, "0", nil)
		c.check(err)
		expect(t, "last", partition.LastEnqueuedSequenceNumber, 0)
		expect(t, "faults", len(c.activeFaults()), 0)
	})
}

func TestAReaderAndASenderContinueAfterTheirConnectionsWereDropped(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		producer := c.producerOf(c.root(), patient)
		c.check(c.send(producer, toZero(), "0", "1"))
		reader := c.reader(c.consumerOf(c.root(), patient), eventhubs.PartitionClientOptions{})
		expect(t, "before", bodies(c.take(reader, 2)), "[0 1]")
		c.injectNow("drop")
		c.check(c.send(producer, toZero(), "2", "3"))
		expect(t, "after", bodies(c.take(reader, 2)), "[2 3]")
	})
}

func TestTheSDKReplacesExpiredTokens(t *testing.T) {
	overEach(t, func(t *testing.T, c *clients) {
		producer := c.producerOf(c.root(), patient)
		c.check(c.send(producer, toZero(), "0"))
		c.injectNow("expire-tokens")
		c.check(c.send(producer, toZero(), "1"))
		expect(t, "bodies", bodies(c.take(c.newReader(eventhubs.PartitionClientOptions{}), 2)), "[0 1]")
	})
}
