// Docker's multiplexed stream: stdout and stderr of a program without a TTY, in frames of an eight-byte header and a payload.

const headerBytes = 8;

/**
 * Takes raw chunks as they come and hands on payload bytes as soon as they are there, so a frame larger than memory would allow is
 * never assembled. Format: docs.docker.com/engine/api, "Attach to a container", stream format.
 */
export function createDemux(onBytes: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void): (chunk: Uint8Array) => void {
  const header = Buffer.alloc(headerBytes);
  let headerFilled = 0;
  let left = 0;
  let stream: 'stdout' | 'stderr' = 'stdout';
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left > 0) {
        const part = chunk.subarray(at, at + left);
        onBytes(stream, part);
        at += part.length;
        left -= part.length;
        continue;
      }
      const part = chunk.subarray(at, at + headerBytes - headerFilled);
      header.set(part, headerFilled);
      headerFilled += part.length;
      at += part.length;
      if (headerFilled < headerBytes) return;
      headerFilled = 0;
      stream = header[0] === 2 ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
    }
  };
}
