// Plain data as YAML text, for reading and for pasting into a configuration file. Writes the subset that configurations need.

type Plain = string | number | boolean | null | undefined | readonly Plain[] | { readonly [key: string]: Plain };

/** Block style; strings are quoted wherever YAML could take them for something else. */
export function toYaml(value: Plain): string {
  return `${lines(value, 0).join('\n')}\n`;
}

function lines(value: Plain, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.map((item: Plain) => (isBranch(item) ? `${indent}-\n${lines(item, depth + 1).join('\n')}` : `${indent}- ${scalar(item)}`));
  }
  if (value !== null && typeof value === 'object') {
    return Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .flatMap(([key, item]) =>
        isBranch(item) ? [`${indent}${scalar(key)}:`, ...lines(item, depth + 1)] : [`${indent}${scalar(key)}: ${scalar(item)}`],
      );
  }
  return [indent + scalar(value)];
}

/** True for what needs lines of its own. */
function isBranch(value: Plain): boolean {
  return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
}

function scalar(value: Plain): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? '[]' : '{}';
  if (typeof value !== 'string') return String(value);
  const plain =
    /^[A-Za-z_/.][\w /.@+-]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n|~|\.(inf|nan))$/i.test(value) && !value.endsWith(' ');
  return plain ? value : JSON.stringify(value);
}
