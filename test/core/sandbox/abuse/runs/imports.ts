import { expect } from 'vitest'
import { withRequirement, type CaseTitle, type RunCase } from '../case.ts'
import { expectCompleted, joinOutput } from './expect.ts'
import { wrapMain } from './forge.ts'

const MARK = 'print("hij" + "acked", flush=True)\n'
/** Imports nothing, because imports are the target of the attack. */
const PLAIN = 'def main(args):\n    return 1\n'
/** Module names that an interpreter or the harness might import. */
const NAMES =
  'json _json traceback linecache resource sitecustomize usercustomize site encodings codecs channel results harness runtime runtime_log runtime_blobs skill_imports skills asyncio threading hashlib _bootlocale'.split(
    ' ',
  )
const ALL = Object.fromEntries(NAMES.map((name) => [`${name}.py`, MARK]))

const bareWith = (name: string, command: string) =>
  `import os, subprocess, sys, tempfile
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/${name}", "w") as file: file.write('${MARK.trim()}')
    ${command}`

const QUIET: RunCase['holds'] = (report) => {
  expectCompleted(1)(report)
  expect(joinOutput(report)).not.toContain('hijacked')
}

const BY_FOLDER = bareWith(
  'json.py',
  'print(subprocess.run([sys.executable, "-c", "import json"], cwd=folder, capture_output=True, text=True).stdout)',
)
const BY_PATH = bareWith(
  'sitecustomize.py',
  'print(subprocess.run([sys.executable, "-c", ""], env={"PYTHONPATH": folder}, capture_output=True, text=True).stdout)',
)

function shadow([id, says]: CaseTitle, run: RunCase['run'], control = BY_FOLDER): RunCase {
  return {
    id,
    says,
    needs: 'channel',
    run,
    holds: QUIET,
    control: { bare: control, prints: 'hijacked' },
  }
}

export const IMPORTS: readonly RunCase[] = [
  shadow(['C16.files', "cannot replace the harness's files"], {
    code: PLAIN,
    files: ALL,
  }),
  shadow(['C16.use', 'cannot reach the harness by its logs and blobs'], {
    code: 'def main(args):\n    from runtime import log, blobs\n    log.info("x")\n    blobs.write_text("y")\n    return 1\n',
    files: Object.fromEntries(Object.entries(ALL).filter(([name]) => name !== 'runtime.py')),
  }),
  shadow(
    ['C16.site', 'runs nothing by the module names that Python imports'],
    {
      code: PLAIN,
      files: {
        'x.pth': 'import os; print("hij" + "acked")\n',
        'pyvenv.cfg': 'home = /workspace\n',
        'sitecustomize.py': MARK,
        'python311._pth': '.\n',
      },
    },
    BY_PATH,
  ),
  withRequirement(
    'files',
    shadow(['C16.path', 'runs nothing in its child interpreters'], {
      code: wrapMain(
        'for folder in ("/workspace", "/tmp"):\n    for name in ("json", "sitecustomize", "usercustomize", "encodings"):\n        open("%s/%s.py" % (folder, name), "w").write(\'print("hij" + "acked")\')\nreturn int(subprocess.run([sys.executable, "-I", "-c", "import json; print(1)"], capture_output=True, text=True).stdout)',
      ),
    }),
  ),
  withRequirement(
    'files',
    shadow(['C16.cache', 'cannot leave bytecode for other runs'], {
      code: wrapMain(
        'found = []\nfor folder in sys.path + ["/guest", "/skills", "/usr/lib/python3.11"]:\n    try:\n        os.makedirs(folder + "/__pycache__", exist_ok=True)\n        open(folder + "/__pycache__/json.cpython-311.pyc", "wb").write(b"x")\n        found.append(folder)\n    except OSError: pass\nreturn 1 if found == [] else found',
      ),
    }),
  ),
  shadow(
    ['C16.variables', 'has no variable that Python obeys'],
    {
      code: wrapMain(
        'return 1 if not any(name.startswith("PYTHON") for name in os.environ) else dict(os.environ)',
      ),
    },
    BY_PATH,
  ),
  {
    id: 'C16.skills',
    says: 'cannot replace the package of all skills',
    needs: 'channel',
    run: {
      code: 'def main(args):\n    import skills.abuse.case as own\n    return own.main is main and own.__name__\n',
      files: { 'skills.py': MARK, 'skills/__init__.py': MARK, 'skills/abuse/__init__.py': MARK },
    },
    holds: (report) => {
      expect(joinOutput(report)).not.toContain('hijacked')
      expectCompleted('skills.abuse.case')(report)
    },
    control: { bare: BY_FOLDER, prints: 'hijacked' },
  },
  {
    id: 'C16.replaced',
    says: 'that replaces modules changes only its own result',
    needs: 'channel',
    run: {
      code: wrapMain(
        'import json, zlib, binascii, builtins\njson.dumps = lambda *a, **k: "forged"\njson.loads = None\nbinascii.crc32 = lambda *a: 0\nbuiltins.len = lambda *a: 0\nreturn 1',
      ),
    },
    holds: ({ result }) => expect(result?.status).toBe('failed'),
    control: {
      bare: 'import json\njson.dumps = lambda *a: "forged"\nprint(json.dumps(1))',
      prints: 'forged',
    },
  },
  {
    id: 'C16.audit',
    says: 'that traces its interpreter sees no job of another run',
    needs: 'channel',
    run: {
      code: wrapMain(
        'seen = []\nsys.addaudithook(lambda name, args: seen.append(name))\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\nopen("/dev/null").close()\nreturn bool(seen)',
      ),
    },
    holds: expectCompleted(true),
    control: { none: 'it may trace itself' },
  },
]
