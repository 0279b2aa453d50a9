import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RUNTIME_API } from '../../../../src/core/lint/code/runtime-api.ts'

const GUEST = 'src/guest'

function listExports(module: string): string[] {
  const text = readFileSync(join(GUEST, 'javascript/runtime', `${module}.mjs`), 'utf8')
  const names = text.matchAll(/^export (?:\* as|function\*?|const|\{) (\w+)/gm)
  return [...names].map((match) => match[1] as string).sort()
}

const LIST_PYTHON_NAMES = `
import json, sys, types
sys.path.insert(0, sys.argv[1])
import runtime_blobs, runtime_log
modules = {"runtime.blobs": runtime_blobs.make_blobs(None), "runtime.log": runtime_log.make_log(None)}
print(json.dumps({name: sorted(each for each in vars(module) if not each.startswith("_")) for name, module in modules.items()}))
`

describe('the names of the runtime', () => {
  it.each([
    ['runtime', 'index'],
    ['runtime.blobs', 'blobs'],
    ['runtime.log', 'log'],
  ] as const)('are those of %s in the guest for JavaScript', (module, file) => {
    expect(RUNTIME_API.javascript[module]).toEqual(listExports(file))
  })

  it('are those of the guest for Python', () => {
    const output = execFileSync('python3', ['-c', LIST_PYTHON_NAMES, GUEST], { encoding: 'utf8' })
    const { runtime, ...modules } = RUNTIME_API.python
    expect(modules).toEqual(JSON.parse(output))
    const harness = readFileSync(join(GUEST, 'harness.py'), 'utf8')
    const set = [...harness.matchAll(/^ {4}runtime\.([a-z]+) =/gm)].map(
      (match) => match[1] as string,
    )
    expect(runtime).toEqual(set.toSorted())
  })

  it('are those of the library for shell scripts', () => {
    const text = readFileSync(join(GUEST, 'shell/runtime.sh'), 'utf8')
    const defined = [...text.matchAll(/^([a-z]\w*)\(\)/gm)].map((match) => match[1] as string)
    expect(RUNTIME_API.shell.shell).toEqual(defined.toSorted())
  })

  it('are those of the declarations in the template for TypeScript', () => {
    const text = readFileSync('templates/editor/runtime.d.ts', 'utf8')
    const listMembers = (pattern: RegExp, part = text) =>
      [...part.matchAll(pattern)].map((match) => match[1] as string).toSorted()
    const listInterface = (name: string) =>
      listMembers(
        /^ {4}(\w+): \(/gm,
        new RegExp(`interface ${name} \\{(.*?)\n  \\}`, 's').exec(text)?.[1],
      )
    expect(RUNTIME_API.javascript['runtime.blobs']).toEqual(listInterface('Blobs'))
    expect(RUNTIME_API.javascript['runtime.log']).toEqual(listInterface('Log'))
    expect(RUNTIME_API.javascript.runtime).toEqual(listMembers(/^ {2}export var (\w+)/gm))
  })
})
