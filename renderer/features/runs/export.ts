// Saving the rollouts of a run as a file of this computer.
import type { LabClient } from '../../client/index.ts';
import { plural } from '../../ui/format.ts';
import { command, tell } from '../../ui/toasts.tsx';

export type ExportFormat = 'csv' | 'jsonl';

/** Reads the rollouts page by page and hands the file to the browser. Its name comes from the run's, which may hold anything. */
export async function exportRollouts(client: LabClient, run: { id: string; name: string }, format: ExportFormat): Promise<void> {
  await command(
    'The rollouts could not be exported',
    async () => {
      const lines = new Map<string, string>();
      let header: string | null = null;
      let after: number | undefined;
      do {
        const page = await client.runs.exportRollouts({ runId: run.id, format, after });
        for (const { id, text } of page.lines) lines.set(id, text);
        header = page.header;
        after = page.next ?? undefined;
      } while (after !== undefined);
      return { text: `${[...(header === null ? [] : [header]), ...lines.values()].join('\n')}\n`, rollouts: lines.size };
    },
    ({ text, rollouts }) => {
      const name = `${run.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || 'run'}.${format}`;
      download(name, text, format === 'csv' ? 'text/csv' : 'application/jsonl');
      tell(`Saved ${name}`, plural(rollouts, 'rollout'));
    },
  );
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
