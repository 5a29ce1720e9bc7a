// WebGL for the few terminals that are worked in. Contexts are scarce in a browser, and xterm's WebGL renderer fails without a word on
// some machines, so: at most eight, loaded on demand, and back to the DOM renderer at the first sign of trouble.
import type { Terminal } from '@xterm/xterm';

const MOST = 8;
let inUse = 0;

/** Gives the terminal a WebGL renderer where one is to be had; the returned function takes it back. Never throws. */
export function borrowWebgl(terminal: Terminal): () => void {
  if (inUse >= MOST || !hasRealWebgl()) return () => {};
  inUse += 1;
  let ended = false;
  let dispose = () => {};
  const giveBack = () => {
    if (ended) return;
    ended = true;
    inUse -= 1;
    dispose();
  };
  void import('@xterm/addon-webgl')
    .then(({ WebglAddon }) => {
      if (ended) return;
      const addon = new WebglAddon();
      dispose = () => addon.dispose();
      addon.onContextLoss(giveBack);
      terminal.loadAddon(addon);
    })
    .catch(giveBack);
  return giveBack;
}

/** False where WebGL 2 is missing or drawn by the CPU, which is slower than the DOM renderer. */
function hasRealWebgl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!context) return false;
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const renderer = info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(renderer);
}
