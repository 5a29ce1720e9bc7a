// The run that is being put together as YAML: what a file for `termarium run -c` would say. In step with the form.
import { runConfig } from '../../../main/contract/schema/config.ts';
import type { LabClient } from '../../client/index.ts';
import { command } from '../../ui/toasts.tsx';
import { type Draft, editSource } from './launch-draft.ts';
import { toYaml } from './yaml.ts';

/** Turns to the source: what differs from the defaults, or everything that was typed where that is not right yet. */
export async function openSource(client: LabClient, draft: Draft): Promise<void> {
  const parsed = runConfig.safeParse(draft);
  if (!parsed.success) return editSource(toYaml(draft));
  await command(
    'The source could not be written',
    () => client.runs.toYaml({ config: parsed.data }),
    ({ text }) => editSource(text),
  );
}

export function LaunchSource({ source }: { source: string }) {
  return (
    <div className="launch-source">
      <textarea
        className="mono"
        aria-label="Configuration as YAML"
        value={source}
        onChange={(event) => editSource(event.target.value)}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
      />
    </div>
  );
}
