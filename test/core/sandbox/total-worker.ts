// Several concurrent runs that together exceed the total limit, although each alone does not.
import { createRuntime } from '../../../src/core/runtime.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'

const [data = '', total = ''] = process.argv.slice(2)
const env = { HOME: data, PATH: process.env['PATH'] }
const flags = {
  'directories.data': data,
  'run.limits.memory': 1024 ** 3,
  'run.limits.total_memory': Number(total),
}
const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
const runtime = createRuntime({ config, cacheDir: null })
const take = async (mib: number) => {
  const code = `import time\n\ndef main(args):\n    held = bytearray(${mib} << 20)\n    time.sleep(5)\n    return len(held)\n`
  const result = await runtime.runCode({ language: 'python', code }, { cwd: data, env })
  return { status: result.status, error: result.error }
}
const results = await Promise.all([take(30), take(90), take(90), take(90)])
process.stdout.write(JSON.stringify(results))
