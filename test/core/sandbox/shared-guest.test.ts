import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SharedGuest } from '../../../src/core/sandbox/linux/shared-guest.ts'
import type { Interpreter } from '../../../src/core/sandbox/backend.ts'
import { buildMain, runPython } from '../runs/run-python.ts'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'

const PYTHON: Interpreter = {
  executable: '/usr/bin/python3',
  version: '3.11.2',
  mounts: [],
  packages: [],
  hidden: [],
  libraries: undefined,
  compiled: new Map(),
}

describe("the guest's files", () => {
  it('are written by the first run itself, and then once for each interpreter', () => {
    const guests = new SharedGuest()
    expect(guests.take({}, PYTHON)).toBeUndefined()
    const folder = guests.take({}, PYTHON) as string
    expect(guests.take({}, PYTHON)).toBe(folder)
    expect(guests.take({}, { ...PYTHON, version: '3.12.1' })).not.toBe(folder)
    const nodePackages = [{ name: 'left-pad', target: '/tools/0' }]
    expect(guests.take({ nodePackages }, PYTHON)).toBeUndefined()
  })

  it('are written again if a cleaner of temporary files removed them', () => {
    const guests = new SharedGuest()
    guests.take({}, PYTHON)
    const folder = guests.take({}, PYTHON) as string
    rmSync(dirname(folder), { recursive: true })
    const next = guests.take({}, PYTHON) as string
    expect(existsSync(next)).toBe(true)
  })

  it('cannot be changed by a run, for those that follow', async () => {
    const sandboxes = new Sandboxes()
    const attack = `found = []
for path in ("/guest/harness.py", "/guest/planted.py", "/guest/__pycache__/planted.pyc"):
    for flags in (os.O_WRONLY, os.O_WRONLY | os.O_CREAT):
        try: os.close(os.open(path, flags)); found.append(path)
        except OSError: pass
try: os.chmod("/guest", 0o777); found.append("mode")
except OSError: pass
return found`
    for (let run = 0; run < 3; run++) {
      expect((await runPython(buildMain(attack), { sandboxes })).output).toEqual([])
    }
    // The same calls succeed where the run may write.
    const own = attack.replaceAll('/guest', '/workspace/own')
    const folders = 'os.makedirs("/workspace/own/__pycache__")\n'
    const { output } = await runPython(buildMain(folders + own), { sandboxes })
    expect(output).toEqual(expect.arrayContaining(['/workspace/own/planted.py', 'mode']))
  })
})
