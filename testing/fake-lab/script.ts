// What the agents of the fake lab say and do: a few sessions written by hand, played by rollouts of every task in turn.

export interface FakeTurn {
  analysis: string;
  plan: string;
  commands: { keystrokes: string; output: string; exitCode: number | null; ms: number }[];
}

export interface FakeSession {
  turns: FakeTurn[];
}

const esc = '\u001b[';

export const sessions: readonly FakeSession[] = [
  {
    turns: [
      {
        analysis:
          'The terminal shows an empty prompt in /app. The task asks for a per-user summary of the access log, so I need to see its format first.',
        plan: 'List the folder and look at the first lines of the log.',
        commands: [
          {
            keystrokes: 'ls -la --color=always\n',
            output: `total 132\r\n${esc}1;34mdata${esc}0m\r\n${esc}1;32mreport.sh${esc}0m\r\naccess.log`,
            exitCode: 0,
            ms: 38,
          },
          {
            keystrokes: 'head -n 3 access.log\n',
            output:
              '203.0.113.7 alice [12/Mar/2026:10:04:11] "GET /api/items" 200 512\r\n198.51.100.2 bob [12/Mar/2026:10:04:12] "POST /login" 401 88\r\n203.0.113.9 carol [12/Mar/2026:10:04:15] "GET /api/items" 200 512',
            exitCode: 0,
            ms: 21,
          },
        ],
      },
      {
        analysis:
          'Fields are separated by spaces; the user is field 2 and the size is the last field. Failed logins (401) must not be counted according to the instruction.',
        plan: 'Sum the sizes per user with awk, skip status 401, sort by bytes, and write summary.csv.',
        commands: [
          {
            keystrokes:
              'awk \'$6 != 401 { bytes[$2] += $NF } END { for (u in bytes) print u "," bytes[u] }\' access.log \\\n  | sort -t, -k2,2nr > summary.csv\n',
            output: '',
            exitCode: 0,
            ms: 64,
          },
          { keystrokes: 'cat summary.csv\n', output: 'carol,18944\r\nalice,17408\r\nbob,9216', exitCode: 0, ms: 12 },
          {
            keystrokes: 'bash report.sh summary.csv\n',
            output: `${esc}31mreport.sh: line 7: column: command not found${esc}0m`,
            exitCode: 127,
            ms: 33,
          },
        ],
      },
      {
        analysis:
          'report.sh wants `column`, which is not installed and there is no network. The instruction only needs summary.csv to have a header; report.sh is optional.',
        plan: 'Add the header line and check the result against the log by hand.',
        commands: [
          {
            keystrokes: "sed -i '1i user,bytes' summary.csv && cat summary.csv\n",
            output: 'user,bytes\r\ncarol,18944\r\nalice,17408\r\nbob,9216',
            exitCode: 0,
            ms: 18,
          },
          { keystrokes: "grep -c ' 401 ' access.log\n", output: '14', exitCode: 0, ms: 15 },
        ],
      },
    ],
  },
  {
    turns: [
      {
        analysis: 'A git repository with a failing test. The regression came in somewhere in the last 40 commits.',
        plan: 'Use git bisect with the test script as the judge.',
        commands: [
          { keystrokes: 'git log --oneline | wc -l\n', output: '41', exitCode: 0, ms: 29 },
          {
            keystrokes: 'git bisect start HEAD HEAD~40 && git bisect run ./test.sh\n',
            output: `running './test.sh'\r\n${esc}32mBisecting: 19 revisions left to test after this (roughly 4 steps)${esc}0m\r\nrunning './test.sh'\r\nBisecting: 9 revisions left to test after this (roughly 3 steps)\r\nrunning './test.sh'\r\n${esc}33m7c41e0d9b is the first bad commit${esc}0m\r\n  cache: avoid copying the key\r\nbisect found first bad commit`,
            exitCode: 0,
            ms: 2410,
          },
        ],
      },
      {
        analysis: 'Commit 7c41e0d stores a reference to a buffer that is reused by the caller, so two keys end up equal.',
        plan: 'Look at the change, restore the copy, and run the test again on HEAD.',
        commands: [
          {
            keystrokes: 'git bisect reset && git show --stat 7c41e0d | tail -3\n',
            output: ' src/cache.c | 4 +---\r\n 1 file changed, 1 insertion(+), 3 deletions(-)',
            exitCode: 0,
            ms: 44,
          },
          {
            keystrokes: "sed -i 's/entry->key = key;/entry->key = strdup(key);/' src/cache.c && make -s && ./test.sh\n",
            output: `cc -O2 -c src/cache.c\r\ncc -o cache src/*.o\r\n${esc}32mok 1 - keys stay apart${esc}0m\r\n${esc}32mok 2 - eviction frees the key${esc}0m`,
            exitCode: 0,
            ms: 3120,
          },
        ],
      },
    ],
  },
  {
    turns: [
      {
        analysis: 'The service must listen on port 8080 and restart by itself. I will look at what is there.',
        plan: 'Read the unit script and start the server in the background.',
        commands: [
          { keystrokes: 'cat run.sh\n', output: '#!/bin/sh\r\npython3 -m http.server 8000', exitCode: 0, ms: 11 },
          { keystrokes: "sed -i 's/8000/8080/' run.sh && nohup sh run.sh > server.log 2>&1 &\n", output: '[1] 214', exitCode: 0, ms: 26 },
          { keystrokes: 'curl -sf localhost:8080/health\n', output: '', exitCode: 22, ms: 5000 },
        ],
      },
      {
        analysis: 'The server answers but has no /health path: http.server only serves files. I need a small handler.',
        plan: 'Write a handler that answers /health with 200 and "ok", then restart.',
        commands: [
          {
            keystrokes:
              "cat > server.py <<'EOF'\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\nclass Handler(BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200 if self.path == '/health' else 404)\n        self.end_headers()\n        self.wfile.write(b'ok')\nHTTPServer(('127.0.0.1', 8080), Handler).serve_forever()\nEOF\n",
            output: '',
            exitCode: 0,
            ms: 17,
          },
          { keystrokes: 'pkill -f http.server; python3 server.py &\n', output: '[2] 231', exitCode: 0, ms: 20 },
          { keystrokes: 'curl -si localhost:8080/health | head -1\n', output: 'HTTP/1.0 200 OK', exitCode: 0, ms: 61 },
        ],
      },
    ],
  },
];

export const fakeTasks = [
  ['access-log-summary', 'easy', 'text processing', ['awk', 'csv', 'logs']],
  ['broken-symlinks', 'easy', 'file operations', ['find', 'links']],
  ['csv-to-sqlite', 'medium', 'databases', ['sqlite', 'sql']],
  ['cron-that-never-runs', 'medium', 'debugging', ['cron', 'shell']],
  ['dedupe-photos', 'easy', 'file operations', ['hashing']],
  ['git-bisect-regression', 'hard', 'git', ['bisect', 'c', 'make']],
  ['http-health-endpoint', 'medium', 'networking', ['python', 'loopback']],
  ['merge-conflict-rescue', 'medium', 'git', ['merge']],
  ['orphaned-processes', 'medium', 'processes', ['signals', 'proc']],
  ['parse-nginx-config', 'hard', 'scripting', ['python', 'parsing']],
  ['rotate-and-compress', 'easy', 'scripting', ['bash', 'gzip', 'logs', 'cron']],
  ['slow-query', 'hard', 'databases', ['sqlite', 'indexes']],
] as const;

export function instructionOf(name: string): string {
  return `In /app you find what belongs to "${name}".

Read access.log and write summary.csv with one line per user: the user's name and the sum of the bytes that were sent to them, separated by a comma.

  - The first line is a header: user,bytes
  - Requests that were answered with status 401 do not count.
  - Lines are ordered by bytes, largest first.

Do not change any other file. Everything you need is installed; there is no network.`;
}

export const prompt = 'root@task:/app# ';

/** The files that every task of the fake lab has. */
export const taskFiles = new Map([
  [
    'task.toml',
    'version = "1.0"\n\n[metadata]\ndifficulty = "easy"\ncategory = "text processing"\ntags = ["awk", "csv"]\n\n[verifier]\ntimeout_sec = 120.0\n\n[environment]\ncpus = 1\nmemory_mb = 512\n',
  ],
  ['instruction.md', 'Read access.log and write summary.csv.\n'],
  ['environment/Dockerfile', 'FROM termarium/base\nWORKDIR /app\nCOPY access.log report.sh ./\n'],
  ['environment/access.bin', '\u0000\u0001\u0002'],
  [
    'solution/solve.sh',
    "#!/bin/bash\nset -eu\nawk '$6 != 401 { b[$2] += $NF } END { for (u in b) print u \",\" b[u] }' access.log | sort -t, -k2,2nr > summary.csv\nsed -i '1i user,bytes' summary.csv\n",
  ],
  ['tests/test.sh', '#!/bin/bash\npytest /tests/test_outputs.py --ctrf /logs/verifier/ctrf.json\necho $? > /logs/verifier/exit\n'],
  [
    'tests/test_outputs.py',
    'from pathlib import Path\n\n\ndef test_header():\n    assert Path("/app/summary.csv").read_text().startswith("user,bytes\\n")\n',
  ],
]);
