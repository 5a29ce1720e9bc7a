// Which language a file of a task is written in, by its name and first line.
import { markdown, markdownLanguage } from '@codemirror/lang-markdown';
import { python } from '@codemirror/lang-python';
import { yaml } from '@codemirror/lang-yaml';
import { StreamLanguage } from '@codemirror/language';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import type { Extension } from '@codemirror/state';

export function languageOf(path: string, text: string): Extension {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/^Dockerfile|\.dockerfile$/i.test(name)) return StreamLanguage.define(dockerFile);
  switch (/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()) {
    case 'md':
      return markdown({ base: markdownLanguage });
    case 'toml':
      return StreamLanguage.define(toml);
    case 'py':
      return python();
    case 'sh':
    case 'bash':
      return StreamLanguage.define(shell);
    case 'yaml':
    case 'yml':
    case 'json':
      return yaml();
    default:
      if (/^#!.*\b(ba|da|z)?sh\b/.test(text)) return StreamLanguage.define(shell);
      return /^#!.*python/.test(text) ? python() : [];
  }
}
