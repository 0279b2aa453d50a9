import type { DoctorCheck } from '../check.ts'
import { runSystemProgram } from '../run-system-program.ts'

const VERSION_PROGRAM =
  'import os, sys; print("%d.%d.%d" % sys.version_info[:3]); print(os.path.realpath(sys.executable))'

/** Interpreter of Python skills. It reports its own path, so that a shim is not shown. */
export const pythonCheck: DoctorCheck = {
  id: 'python',
  title: 'Python',
  needed: true,
  async run({ config, env }) {
    const interpreter = config.run.python ?? 'python3'
    const { ok, stdout } = await runSystemProgram([interpreter, '-I', '-c', VERSION_PROGRAM], env)
    const [version = '', path = ''] = stdout.trim().split('\n')
    if (!ok || version === '') {
      return {
        ok: false,
        detail: `"${interpreter}" does not exist or does not start`,
        fix: 'Install Python 3.9 or newer, or set run.python in skills.config.toml',
      }
    }
    const [major = 0, minor = 0] = version.split('.').map(Number)
    return {
      ok: major > 3 || (major === 3 && minor >= 9),
      detail: `${version} at ${path}`,
      fix: 'Install Python 3.9 or newer',
    }
  },
}
