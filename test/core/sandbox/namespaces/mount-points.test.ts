import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'

const GUEST = fileURLToPath(new URL('../../../../src/guest/', import.meta.url))

/** Mounts `source` at /workspace/inner, which a run has replaced by a link to `outside`. */
const MOUNT = `import os, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import namespaces, host_root
from c_library import perform
mode, top, workspace, source, outside = sys.argv[2:]
ids = os.getuid(), os.getgid()
namespaces.call("unshare", namespaces.NEW_MOUNTS | (namespaces.NEW_USER if ids[0] else 0))
if ids[0]:
    namespaces.write_id_maps((0, ids[0]), (0, ids[1]))
perform([namespaces.MAKE_PRIVATE])
if mode == "unguarded":
    host_root.bind_below = lambda source, top, path: perform([namespaces.bind(source.encode(), (top + path).encode())])
steps = [
    {"kind": "bind", "source": workspace, "target": "/workspace", "writable": True},
    {"kind": "bind", "source": source, "target": "/workspace/inner"},
]
plan = host_root.HostPlan(steps, top, False)
try:
    perform(plan.calls)
except OSError as error:
    print(error.strerror, end=";")
print(os.listdir(outside))
`

function mountOverLink(mode: 'guarded' | 'unguarded') {
  const base = createFolder({ 'source/mounted.txt': '', 'outside/own.txt': '' })
  for (const name of ['top', 'workspace']) mkdirSync(join(base, name))
  symlinkSync(join(base, 'outside'), join(base, 'workspace/inner'))
  const paths = ['top', 'workspace', 'source', 'outside'].map((name) => join(base, name))
  const { stdout, stderr } = spawnSync('python3', ['-c', MOUNT, GUEST, mode, ...paths], {
    encoding: 'utf8',
  })
  return { text: stdout.trim() || stderr, outside: readdirSync(join(base, 'outside')) }
}

describe('a mount point that a run has replaced by a link', () => {
  it('is refused', () => {
    const { text, outside } = mountOverLink('guarded')
    expect(text).toBe("a mount point is a symbolic link;['own.txt']")
    expect(outside).toEqual(['own.txt'])
  })

  it('would be followed without the guard', () => {
    expect(mountOverLink('unguarded').text).toContain("['mounted.txt']")
  })
})
