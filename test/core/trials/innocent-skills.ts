/** A skill that looks like an attack and is none. */
export interface InnocentSkill {
  name: string
  files: Readonly<Record<string, string>>
}

function describe(description: string, body = ''): string {
  return `---\nname: tool\ndescription: ${description}\n---\n${body}\n`
}

export const INNOCENT_SKILLS: readonly InnocentSkill[] = [
  {
    name: 'a declared secret for a declared host',
    files: {
      'skill.toml': `name = "demo.tickets"
version = "1.0.0"
description = "Lists tickets"
kind = "action"
[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
[inputs]
query = { type = "string", description = "Words", required = true }
[permissions]
network = ["https://api.tickets.example"]
secrets = ["TICKETS_TOKEN"]
`,
      'code/main.py': `import os, urllib.request
def main(args):
    request = urllib.request.Request("https://api.tickets.example/search?q=" + args["query"])
    request.add_header("Authorization", "Bearer " + os.environ["TICKETS_TOKEN"])
    return urllib.request.urlopen(request).read().decode()
`,
    },
  },
  {
    name: 'a weather client',
    files: {
      'SKILL.md': describe('Shows the weather', '```bash\npython scripts/weather.py Berlin\n```'),
      'scripts/weather.py': `import json, sys, urllib.request
city = sys.argv[1] if len(sys.argv) > 1 else "Berlin"
data = json.load(urllib.request.urlopen("https://api.weather.example/v1/now?city=" + city))
print(city, data["current"]["temp"])
`,
    },
  },
  {
    name: 'a script that reads its own configuration',
    files: {
      'config/settings.json': '{"limit": 3}',
      'scripts/tool.py': `import json, pathlib, urllib.request
settings = json.loads((pathlib.Path(__file__).parent.parent / "config/settings.json").read_text())
urllib.request.urlopen("https://api.tool.example/", data=json.dumps(settings).encode())
`,
    },
  },
  {
    name: 'git describe',
    files: {
      'scripts/version.sh':
        '#!/bin/bash\ngit describe --always 2>/dev/null || git rev-parse HEAD || true\ngit status --short\n',
    },
  },
  {
    name: 'files in the project',
    files: {
      'scripts/report.py': `import csv, pathlib
rows = list(csv.reader(open("data.csv")))
pathlib.Path("report.md").write_text("rows: %d" % len(rows))
pathlib.Path("src/main.py").write_text("print(1)")
`,
    },
  },
  {
    name: 'names of variables',
    files: {
      'scripts/doctor.py': `import os, urllib.request
names = sorted(os.environ)
print(names)
urllib.request.urlopen("https://doctor.example/", data=",".join(names).encode())
print({name: len(os.environ[name]) for name in names if name.endswith("KEY")})
`,
    },
  },
  {
    name: 'a backup of a folder',
    files: {
      'SKILL.md': describe('Packs a folder', '```bash\nbash scripts/backup.sh ./src\n```'),
      'scripts/backup.sh':
        '#!/bin/bash\ntar czf "backup-$(date +%F).tgz" "${1:-.}" && ls -l backup-*\n',
    },
  },
  {
    name: 'a client of OpenAI',
    files: {
      'SKILL.md': describe('Summarises with OpenAI'),
      'scripts/sum.mjs': `const response = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { Authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'Content-Type': 'application/json' },
  body: JSON.stringify({ model: 'x', messages: [] }),
})
console.log((await response.json()).choices[0].message.content)
`,
    },
  },
  {
    name: 'a client of GitHub',
    files: {
      'scripts/issues.sh':
        'curl -s -H "Authorization: Bearer $GITHUB_TOKEN" https://api.github.com/issues | head -c 100\n',
    },
  },
  {
    name: 'a described alias',
    files: {
      'SKILL.md': describe('Adds the alias gs to ~/.bashrc'),
      'scripts/alias.sh': 'echo "alias gs=\'git status\'" >> ~/.bashrc\n',
    },
  },
  {
    name: 'a described installer',
    files: {
      'SKILL.md': describe(
        'Sets up uv',
        '```bash\ncurl -LsSf https://astral.sh/uv/install.sh | sh\n```',
      ),
      'scripts/setup.sh': 'command -v uv || curl -LsSf https://astral.sh/uv/install.sh | sh\n',
    },
  },
  {
    name: 'known hosts',
    files: { 'scripts/hosts.sh': 'cut -d" " -f1 ~/.ssh/known_hosts | sort -u\nls -la ~/.ssh\n' },
  },
  {
    name: 'a described file for agents',
    files: {
      'SKILL.md': describe('Writes a first CLAUDE.md for a project'),
      'scripts/init.py': 'open("CLAUDE.md", "w").write("# Project\\n")\n',
    },
  },
  {
    name: 'the upload of a picture',
    files: {
      'scripts/upload.py': `import os, urllib.request
open("picture.png", "wb").write(b"\\x89PNG" + os.urandom(2000))
urllib.request.urlopen("https://pictures.example/", data=open("picture.png", "rb").read())
print(os.path.exists(os.path.expanduser("~/.ssh/id_rsa")), open(".env").read().count("="))
`,
    },
  },
  {
    name: 'work in CI',
    files: {
      'scripts/ci.sh':
        '[ -n "$CI" ] && curl -s -d "status=ok&repo=$GITHUB_REPOSITORY" https://status.example/\nexit 0\n',
    },
  },
  {
    name: 'a file of the user for a host that the skill names',
    files: {
      'SKILL.md': describe(
        'Translates a text',
        'Sends the text to https://api.translate.example.\n\n```bash\npython scripts/translate.py input.txt\n```',
      ),
      'scripts/translate.py': `import sys, urllib.request
text = open(sys.argv[1]).read()
print(urllib.request.urlopen("https://api.translate.example/v1", data=text.encode()).read())
`,
    },
  },
  {
    name: 'a client of a queue, and packages that are not installed',
    files: {
      'SKILL.md': describe('Counts the jobs of a queue', '```bash\npython scripts/jobs.py\n```'),
      'scripts/jobs.py': `import socket
import queue_client
from tables import Table
with socket.create_connection(("queue.internal", 6379)) as client:
    client.sendall(b"LLEN jobs\\r\\n")
    print(Table(client.recv(100)), queue_client.connect().jobs)
`,
    },
  },
]
