import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { GuestFolders } from '../guest-host/guest-job.ts'
import { stageFiles } from '../rootfs/stage-files.ts'
import { NODE_MODULES } from '../guest-host/guest-files.ts'

/** Folders of a run that sees the host's filesystem. */
export interface ProcessFolders {
  inside: GuestFolders
  guest: string
  /** Folder of the code in the request. */
  code: string | undefined
  /** Creates a Python environment without packages; returns its executable. */
  addPython(executable: string): string
  remove(): void
}

/**
 * Creates the folders that a sandbox would mount. Blobs are copied, since the run could write
 * through a hard link.
 */
export function createProcessFolders(
  request: SandboxRequest,
  { compiled }: Interpreter,
): ProcessFolders {
  const staged = stageFiles({ ...request, blobs: [] }, process.getuid?.() ?? 0, { compiled })
  try {
    const dir = realpathSync(staged.copies)
    const folder = (name: string) => {
      const path = join(dir, name)
      mkdirSync(path, { mode: 0o700 })
      return path
    }
    const inside = {
      skills: folder('skills'),
      blobs: folder('blobs'),
      workspace: request.workspace ? realpathSync(request.workspace.source) : folder('workspace'),
      tmp: folder('tmp'),
    }
    symlinkSync(join('guest', NODE_MODULES), join(dir, NODE_MODULES))
    for (const { name, path } of staged.skills) renameSync(path, join(inside.skills, name))
    for (const { name, path } of request.blobs) {
      const copy = join(inside.blobs, name)
      copyFileSync(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      chmodSync(copy, 0o444)
      symlinkSync(name, join(inside.blobs, `blob:${name}`))
    }
    const code = staged.code && join(dir, 'code')
    return {
      inside,
      guest: join(dir, 'guest'),
      code,
      addPython: (executable) => createEmptyEnvironment(join(dir, 'python'), executable),
      remove: () => staged.remove(),
    }
  } catch (error) {
    staged.remove()
    throw error
  }
}

/** Creates a virtual environment, in which Python finds its library but no installed packages. */
function createEmptyEnvironment(dir: string, executable: string): string {
  const bin = join(dir, 'bin')
  mkdirSync(bin, { recursive: true, mode: 0o700 })
  const settings = `home = ${dirname(executable)}\ninclude-system-site-packages = false\n`
  writeFileSync(join(dir, 'pyvenv.cfg'), settings)
  for (const name of ['python', 'python3']) symlinkSync(executable, join(bin, name))
  return join(bin, 'python3')
}
