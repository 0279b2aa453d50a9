import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'

const GUEST = fileURLToPath(new URL('../../../../src/guest/', import.meta.url))

/** Mounts views of a folder in which `before` has mounted something. */
const MOUNT = `import os, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import mount_table, namespaces, views
from c_library import perform
top = sys.argv[2]
ids = os.getuid(), os.getgid()
namespaces.call("unshare", namespaces.NEW_MOUNTS | (namespaces.NEW_USER if ids[0] else 0))
if ids[0]:
    namespaces.write_id_maps((0, ids[0]), (0, ids[1]), namespaces.open_own_entry())
perform([namespaces.MAKE_PRIVATE])
def mount_memory(path):
    perform([namespaces.new_file_system(b"tmpfs", os.fsencode(path), 0)])
def bind(source, target):
    perform([namespaces.bind(os.fsencode(source), os.fsencode(target))])
exec(sys.argv[3])
views.mount_views([top + "/repo dir"], views.open_folder(top + "/empty"))
print([each[len(top):] for each in mount_table.list_overlays() if each.startswith(top)])
exec(sys.argv[4])
`

function mountViews(before: string, after = ''): string {
  const base = createFolder({ 'repo dir/a/file.txt': 'below', 'other.txt': 'b' })
  mkdirSync(join(base, 'empty'))
  const { stdout, stderr } = spawnSync('python3', ['-c', MOUNT, GUEST, base, before, after], {
    encoding: 'utf8',
  })
  return stdout.trim() || stderr
}

describe('the view of a folder', () => {
  it('is read-only and shows its files', () => {
    const after = `print(open(top + "/repo dir/a/file.txt").read())
try: open(top + "/repo dir/a/new", "w")
except OSError as error: print(error.strerror)`
    expect(mountViews('', after)).toBe("['/repo dir']\nbelow\nRead-only file system")
  })

  it('contains views of the folders that are mounted in it', () => {
    const before =
      'mount_memory(top + "/repo dir/a"); open(top + "/repo dir/a/inner.txt", "w").close()'
    const after = 'print(os.listdir(top + "/repo dir/a"))'
    expect(mountViews(before, after)).toBe("['/repo dir', '/repo dir/a']\n['inner.txt']")
  })

  it('is not mounted if a file is mounted in the folder, which then stays as it is', () => {
    const before = 'bind(top + "/other.txt", top + "/repo dir/a/file.txt")'
    const after = 'print(open(top + "/repo dir/a/file.txt").read())'
    expect(mountViews(before, after)).toBe('[]\nb')
  })

  it('is not mounted if the kernel refuses one in it, and nothing of it is left', () => {
    const before = `mount_memory(top + "/repo dir/a"); os.mkdir(top + "/repo dir/a/b")
mount_memory(top + "/repo dir/a/b")
original = views.mount_view
def refuse(fd, target, empty):
    if target.endswith("/b"): raise OSError(22, "refused")
    original(fd, target, empty)
views.mount_view = refuse`
    const after = 'print(os.listdir(top + "/repo dir/a"))'
    expect(mountViews(before, after)).toBe("[]\n['b']")
  })
})
