// The door without a wire: the CLI and the tests call the router in their own process, through the same client type and the same errors.
import type { ContractRouterClient } from '@orpc/contract';
import { createRouterClient } from '@orpc/server';
import type { Contract } from '../contract/index.ts';
import { labErrors } from './errors.ts';
import type { Served } from './rpc.ts';

/** Typed client of the contract, wherever the backend is. */
export type LabClient = ContractRouterClient<Contract>;

/** A client of a router in this process. Input and output are checked as on the wire, but not copied. */
export function memoryClient<Client = LabClient>(served: Served): Client {
  const client: unknown = createRouterClient(served.router, { context: served.context ?? {}, interceptors: [labErrors(served.log)] });
  // The router's own type was given up in `Served`; the caller names the contract it implements.
  return client as Client;
}
