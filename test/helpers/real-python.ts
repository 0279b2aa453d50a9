import { execFileSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/**
 * PATH with the folder of the Python that it starts before all others. A shim of a version manager
 * starts some fifty processes for each `python3`, and the tests start thousands.
 */
export function preferRealPython(path: string | undefined): string | undefined {
  try {
    const argv = ['-I', '-c', 'import sys; print(sys.executable)']
    const executable = execFileSync('python3', argv, { encoding: 'utf8' }).trim()
    return executable === '' ? path : [dirname(executable), path].join(delimiter)
  } catch {
    return path
  }
}
