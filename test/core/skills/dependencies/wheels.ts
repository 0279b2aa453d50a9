import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '../../../helpers/skills.ts'

export interface Wheel {
  name: string
  version?: string
  /** Contents by path. */
  files: Readonly<Record<string, string>>
}

const MAKE = `import base64, hashlib, json, sys, zipfile
path, name, version, files = json.loads(sys.argv[1])
info = "%s-%s.dist-info" % (name, version)
files = {**files, info + "/METADATA": "Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n" % (name, version),
  info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"}
with zipfile.ZipFile(path, "w") as wheel:
    record = ""
    for each, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\\n" % (each, digest, len(text.encode()))
        wheel.writestr(each, text)
    wheel.writestr(info + "/RECORD", record + info + "/RECORD,,\\n")
`

/** Creates a wheel in a folder; returns the line that pins it. */
export function createWheel(dir: string, { name, version = '1.0', files }: Wheel): string {
  const path = join(dir, `${name}-${version}-py3-none-any.whl`)
  execFileSync('python3', ['-c', MAKE, JSON.stringify([path, name, version, files])])
  return `${name}==${version} --hash=sha256:${hashFile(path)}`
}

export function hashFile(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** The manifest of a skill that imports `greetings`. */
export const TOML = `name = "demo.hello"
version = "0.1.0"
description = "Says hello."
kind = "action"
[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
[dependencies]
python = "python.lock"
`

export const CODE = 'import greetings\n\ndef main(args):\n    return greetings.hello()\n'

/** A skill with its lock file, and the wheels that the file pins. */
export function createSkillWithWheels(files: Readonly<Record<string, string>> = {}) {
  const wheels = createFolder()
  const line = createWheel(wheels, {
    name: 'greetings',
    files: { 'greetings/__init__.py': 'def hello():\n    return "hello from the wheel"\n' },
  })
  const dir = createFolder({
    'skill.toml': TOML,
    'SKILL.md': '---\nname: Hello\n---\n# Hello\n',
    'code/main.py': CODE,
    'python.lock': `${line}\n`,
    ...files,
  })
  return { dir, wheels, line }
}
