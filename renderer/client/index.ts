// All that the page knows of the backend: one connection, a typed client, and the loops that follow what changes.
import './jitless.ts';

export { type Connection, type ConnectionState, connect, type LabClient } from './connection.ts';
export { labError } from './errors.ts';
export { useConnection } from './use-connection.ts';
export { type RowsAnswer, type RowsChange, watchLoop, watchRows, watchTail } from './watch.ts';
