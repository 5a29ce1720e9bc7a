// Stands in for the model servers that a test machine cannot have (OpenAI, vLLM, SGLang, llama.cpp): a real HTTP server that speaks the wire
// details of each, counts tokens, keeps its limits, and misbehaves in every way that has been seen of them, when it is told to.
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Profile, promptTokens, tokenize, tooLong, Wire } from './model-wire.ts';

/** What to do with one request instead of answering it well. */
export type Behaviour =
  | { do: 'answer'; text?: string; reasoning?: string; finish?: string }
  /** Any status with any body; an object is sent as JSON. */
  | { do: 'status'; status: number; body: unknown; headers?: Record<string, string> }
  /** 200 with this text, whatever was asked for. */
  | { do: 'raw'; body: string; type?: string }
  /** 200 with these bytes, each chunk on its own. */
  | { do: 'bytes'; chunks: Uint8Array[] }
  /** Accepts the request and says nothing. */
  | { do: 'hang' }
  /** Begins to stream, then says nothing more. */
  | { do: 'stall' }
  /** Closes the connection before, or in the middle of, the answer. */
  | { do: 'reset'; when: 'before' | 'within' }
  /** Ends the stream properly, but in the middle of the answer. */
  | { do: 'end early' }
  /** Streams all, but without [DONE], with keep-alive comments, an empty list of choices and a tool call that nobody asked for. */
  | { do: 'sloppy' }
  /** An error object in the middle of a stream. */
  | { do: 'fail within'; error: unknown }
  /** Answers without counting tokens. */
  | { do: 'no usage' }
  /** Answers in plain JSON although a stream was asked for. */
  | { do: 'whole' }
  /** One token every `everyMs`. */
  | { do: 'drip'; everyMs: number }
  /** Sends this many bytes of an endless answer. */
  | { do: 'flood'; bytes: number };

export interface SeenRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  /** The client's port: the same for requests over one connection. */
  port: number | undefined;
}

export interface ModelServer extends AsyncDisposable {
  /** Base URL ending in /v1. */
  readonly url: string;
  /** Chat completion requests in the order in which they came. */
  readonly seen: SeenRequest[];
  /** GETs by path. */
  readonly asked: string[];
  /** How many chat completions are being answered now, and were at once at most. */
  readonly inFlight: { now: number; most: number };
  /** What to do with the next chat completion requests, one each; after them it answers well. */
  next(...behaviours: Behaviour[]): void;
  /** Resolves when `count` chat completion requests have come, since the start. */
  arrived(count: number): Promise<void>;
  /** Resolves when the client next hangs up on a request that was not answered to its end. */
  hungUp(): Promise<void>;
}

export interface ModelServerOptions {
  profile?: Profile;
  model?: string;
  text?: string;
  /** Tokens of prompt and answer together. */
  contextLength?: number;
  apiKey?: string;
  /** What to do with requests for which `next` says nothing. */
  behave?: (request: SeenRequest) => Behaviour;
  /** Request fields that it refuses, in the words of `refusal`. */
  refuses?: string[];
  refusal?: (field: string) => { status: number; body: unknown };
  /** A port of its own choice where left out. */
  port?: number;
}

const MODEL = 'qwen3-4b-terminal';
const TEXT = '{"analysis": "Nothing to do.", "plan": "Done.", "commands": [], "task_complete": true}';

/** Starts a server on a free port of the loopback interface. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const behaviours: Behaviour[] = [];
  const seen: SeenRequest[] = [];
  const asked: string[] = [];
  const inFlight = { now: 0, most: 0 };
  const events = new EventEmitter();

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://loopback').pathname;
    if (request.method === 'GET') {
      asked.push(path);
      return json(response, ...described(path, options));
    }
    const text = await readAll(request);
    const body: Record<string, unknown> = JSON.parse(text);
    const now = { path, headers: request.headers, body, port: request.socket.remotePort };
    seen.push(now);
    events.emit('arrived');
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    response.on('close', () => {
      inFlight.now -= 1;
      if (!response.writableFinished) events.emit('hung up');
    });
    await answer(response, path, request, body, behaviours.shift() ?? options.behave?.(now) ?? { do: 'answer' }, options);
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    asked,
    inFlight,
    next: (...more) => {
      behaviours.push(...more);
    },
    arrived: async (count) => {
      while (seen.length < count) await once(events, 'arrived');
    },
    hungUp: async () => {
      await once(events, 'hung up');
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json', ...headers }).end(text);
}

/** What a GET says: the list of models, and llama.cpp's properties. */
function described(path: string, { profile = 'openai', model = MODEL, contextLength }: ModelServerOptions): [number, unknown] {
  const id = { id: model, object: 'model', created: 1_790_000_000 };
  if (path === '/props' && profile === 'llamacpp') return [200, { default_generation_settings: { n_ctx: contextLength }, total_slots: 1 }];
  if (path !== '/v1/models') return [404, { detail: 'Not Found' }];
  switch (profile) {
    case 'openai':
      return [
        200,
        {
          object: 'list',
          data: [
            { ...id, owned_by: 'system' },
            { id: 'gpt-other', object: 'model', owned_by: 'system' },
          ],
        },
      ];
    case 'vllm':
      return [
        200,
        { object: 'list', data: [{ ...id, owned_by: 'vllm', root: model, parent: null, max_model_len: contextLength ?? null }] },
      ];
    case 'sglang':
      return [200, { object: 'list', data: [{ ...id, owned_by: 'sglang', root: model, max_model_len: contextLength ?? null }] }];
    case 'llamacpp':
      return [200, { object: 'list', data: [{ ...id, owned_by: 'llamacpp', meta: { n_ctx_train: 131_072, n_params: 4_022_468_096 } }] }];
  }
}

/** Why a server with these options refuses a request, before it looks at what it should do with it; null where it does not. */
function refusal(
  path: string,
  request: IncomingMessage,
  body: Record<string, unknown>,
  options: ModelServerOptions,
): [number, unknown] | null {
  const { profile = 'openai', model = MODEL, apiKey, contextLength, refuses = [] } = options;
  if (path !== '/v1/chat/completions') return [404, { detail: 'Not Found' }];
  if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
    const given = request.headers.authorization?.slice('Bearer '.length) ?? '';
    return [401, { error: { message: `Incorrect API key provided: ${given}.`, type: 'invalid_nowerror', code: 'invalid_api_key' } }];
  }
  if (profile !== 'llamacpp' && body.model !== model) {
    return [
      404,
      { error: { message: `The model \`${String(body.model)}\` does not exist.`, type: 'NotFoundError', param: 'model', code: 404 } },
    ];
  }
  const unknown = profile === 'openai' ? ['return_token_ids', 'return_meta_info', 'return_prompt_token_ids'] : [];
  const field = [...refuses, ...unknown].find((name) => body[name] !== undefined);
  if (field !== undefined) {
    const { status, body: words } = options.refusal?.(field) ?? {
      status: 400,
      body: {
        error: { message: `Unrecognized request argument supplied: ${field}`, type: 'invalid_nowerror', param: null, code: null },
      },
    };
    return [status, words];
  }
  if (profile === 'sglang' && body.stream && body.return_meta_info) {
    const message = 'return_meta_info is not supported with streaming. Please set stream=false when using return_meta_info=true.';
    return [400, { object: 'error', message, type: 'BadRequestError', param: null, code: 400 }];
  }
  const prompt = promptTokens(body).length;
  const wanted = typeof body.max_tokens === 'number' ? body.max_tokens : 1;
  if (contextLength !== undefined && prompt + wanted > contextLength) return tooLong(profile, prompt, wanted, contextLength);
  return null;
}

async function answer(
  response: ServerResponse,
  path: string,
  request: IncomingMessage,
  body: Record<string, unknown>,
  behaviour: Behaviour,
  options: ModelServerOptions,
): Promise<void> {
  if (behaviour.do === 'status') return json(response, behaviour.status, behaviour.body, behaviour.headers);
  if (behaviour.do === 'hang') return;
  if (behaviour.do === 'reset' && behaviour.when === 'before') return void response.destroy();
  if (behaviour.do === 'raw') return void response.writeHead(200, { 'content-type': behaviour.type ?? 'text/plain' }).end(behaviour.body);
  if (behaviour.do === 'bytes') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of behaviour.chunks) await new Promise((resolve) => response.write(chunk, () => setImmediate(resolve)));
    return void response.end();
  }
  const refused = refusal(path, request, body, options);
  if (refused) return json(response, ...refused);

  const said: { text?: string; reasoning?: string; finish?: string } = behaviour.do === 'answer' ? behaviour : {};
  const limit = typeof body.max_tokens === 'number' ? body.max_tokens : Number.POSITIVE_INFINITY;
  const all = tokenize(said.text ?? options.text ?? TEXT);
  const tokens = all.slice(0, limit);
  const wire = new Wire(options.profile ?? 'openai', body, tokens, said.finish ?? (tokens.length < all.length ? 'length' : 'stop'));
  if (!body.stream || behaviour.do === 'whole') return json(response, 200, wire.whole(said.reasoning));

  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const send = (value: unknown) => response.write(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
  send(wire.opening());
  if (said.reasoning !== undefined) send(wire.thought(said.reasoning));
  const half = Math.floor(tokens.length / 2);
  for (let n = 0; n < tokens.length; n += 1) {
    if (n === half) {
      switch (behaviour.do) {
        case 'stall':
          return;
        case 'reset':
          return void setImmediate(() => response.destroy());
        case 'end early':
          return void response.end();
        case 'fail within':
          send({ error: behaviour.error });
          return void response.end('data: [DONE]\n\n');
        case 'sloppy':
          response.write(': still here\n\n');
          send({ choices: [] });
          send({
            choices: [{ index: 0, delta: { content: null, tool_calls: [{ index: 0, function: { name: 'bash', arguments: '{}' } }] } }],
          });
          break;
        case 'flood':
          await flood(response, behaviour.bytes, `data: ${JSON.stringify(wire.piece(n))}\n\n`);
          break;
        default:
      }
    }
    send(wire.piece(n));
    if (behaviour.do === 'drip') await new Promise((resolve) => setTimeout(resolve, behaviour.everyMs));
  }
  send(wire.closing());
  if (behaviour.do !== 'no usage' && wire.countsInStream) send(wire.usagePiece());
  if (behaviour.do !== 'sloppy') send('[DONE]');
  response.end();
}

async function flood(response: ServerResponse, bytes: number, piece: string): Promise<void> {
  const megabyte = piece.repeat(Math.ceil(2 ** 20 / piece.length));
  for (let sent = 0; sent < bytes && !response.destroyed; sent += megabyte.length) {
    await new Promise((resolve) => response.write(megabyte, resolve));
  }
}
