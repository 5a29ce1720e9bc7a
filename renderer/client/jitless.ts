// Must be evaluated before any schema exists: zod otherwise probes `eval`, and every page load reports a violation of our own CSP.
import * as z from 'zod';

z.config({ jitless: true });
