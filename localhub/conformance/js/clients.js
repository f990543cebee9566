// Clients of the official SDK over each transport, closed after the test.
import {
  EventHubBufferedProducerClient,
  EventHubConsumerClient,
  EventHubProducerClient,
  earliestEventPosition,
} from "@azure/event-hubs";
import WebSocket from "ws";
import { amqpPort, tlsPort } from "./hub.js";

export const transports = ["plain", "TLS", "WebSockets"];

const noRetry = { maxRetries: 0, timeoutInMs: 60_000 };
const TIMEOUT_MS = 60_000;

// A closed SDK client leaves the timer of its next token (in 45 minutes), and Node would wait for it.
const setTimer = globalThis.setTimeout;
globalThis.setTimeout = Object.assign((callback, delay, ...args) => {
  const timer = setTimer(callback, delay, ...args);
  return delay > 30 * 60_000 ? timer.unref() : timer;
}, setTimer);

/** NODE_EXTRA_CA_CERTS names the hub's certificate, which TLS and WebSockets verify. */
export class Clients {
  #open = [];

  constructor(test, transport, hub) {
    this.transport = transport;
    this.hub = hub;
    test.after(() => this.close());
  }

  connectionString({ hub = this.hub, policy = "RootManageSharedAccessKey", key = "SAS_KEY_VALUE", signature } = {}) {
    const credential = signature
      ? `SharedAccessSignature=${signature}`
      : `SharedAccessKeyName=${policy};SharedAccessKey=${key}`;
    return `Endpoint=sb://${this.host};${credential};${this.plain ? "UseDevelopmentEmulator=true;" : ""}EntityPath=${hub}`;
  }

  get plain() {
    return this.transport === "plain";
  }

  get host() {
    return `localhost:${this.plain ? amqpPort : tlsPort}`;
  }

  get options() {
    return this.transport === "WebSockets" ? { webSocketOptions: { webSocket: WebSocket } } : {};
  }

  producer(connection = {}, retryOptions = noRetry) {
    return this.closing(
      new EventHubProducerClient(this.connectionString(connection), { ...this.options, retryOptions }),
    );
  }

  /** A producer that sends events in the background, and keeps what it could not send in `failures`. */
  bufferedProducer(options = {}) {
    const failures = [];
    const client = this.closing(
      new EventHubBufferedProducerClient(this.connectionString(), {
        ...this.options,
        onSendEventsErrorHandler: (context) => failures.push(context.error),
        ...options,
      }),
    );
    return Object.assign(client, { failures });
  }

  consumer(connection = {}, group = "$Default", retryOptions = noRetry) {
    return this.closing(
      new EventHubConsumerClient(group, this.connectionString(connection), { ...this.options, retryOptions }),
    );
  }

  /** Follows one partition with a client of its own. */
  reader(partition = "0", { from = earliestEventPosition, connection, group, retryOptions, ...options } = {}) {
    return new Reader(this.consumer(connection, group, retryOptions), partition, { startPosition: from, ...options });
  }

  /** The first `count` events of a partition from a position. */
  async read(count, partition = "0", options = {}) {
    return this.reader(partition, options).take(count);
  }

  async send(events, options = { partitionId: "0" }) {
    await this.producer().sendBatch(events, options);
  }

  closing(client) {
    this.#open.push(client);
    return client;
  }

  async close() {
    await Promise.allSettled(this.#open.splice(0).map((client) => client.close()));
  }
}

/** What a subscription has brought: events, or the error that ended it. */
export class Reader {
  events = [];
  errors = [];
  #changed = () => {};

  constructor(client, partition, options) {
    this.client = client;
    this.subscription = client.subscribe(
      partition,
      {
        processEvents: async (events, context) => {
          this.events.push(...events);
          this.lastEnqueued = context.lastEnqueuedEventProperties;
          this.#changed();
        },
        processError: async (error) => {
          this.errors.push(error);
          this.#changed();
        },
      },
      { maxBatchSize: 300, maxWaitTimeInSeconds: 1, ...options },
    );
  }

  /** The next `count` events. */
  async take(count) {
    await this.#until(() => this.events.length >= count || this.errors.length > 0, `${count} event(s)`);
    if (this.events.length < count) throw this.errors[0];
    return this.events.splice(0, count);
  }

  async error() {
    await this.#until(() => this.errors.length > 0, "an error");
    return this.errors[0];
  }

  async #until(condition, what) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`waited ${TIMEOUT_MS} ms for ${what}`)), TIMEOUT_MS);
    });
    try {
      while (!condition()) await Promise.race([late, new Promise((resolve) => (this.#changed = resolve))]);
    } finally {
      clearTimeout(timer);
    }
  }
}
