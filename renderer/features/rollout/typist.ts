// Sends what is typed in order, one call at a time: keys pressed while a call is on its way go together in the next one.

/** Longest piece sent at once, in characters; a larger paste goes in several. */
const PIECE = 16_384;

export function createTypist(send: (data: string) => Promise<unknown>): (data: string) => void {
  let waiting = '';
  let sending = false;
  const drain = async () => {
    if (sending) return;
    sending = true;
    while (waiting !== '') {
      const piece = waiting.slice(0, PIECE);
      waiting = waiting.slice(PIECE);
      await send(piece);
    }
    sending = false;
  };
  return (data) => {
    waiting += data;
    void drain();
  };
}
