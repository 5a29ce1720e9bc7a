// A run's configuration as YAML-like text: what a file for `termarium run -c` would say.
import type { RunConfig } from '../../../main/contract/schema/config.ts';
import { TextView } from '../../ui/text-view.tsx';
import { toYaml } from './yaml.ts';

export function ConfigView({ config }: { config: RunConfig }) {
  return <TextView text={toYaml(config)} label="Configuration" />;
}
