// Starts a living sandbox with a daemon in it, and is killed meanwhile.
import { createRuntime } from '../../../src/core/runtime.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'

const [data = '', command = ''] = process.argv.slice(2)
const env = { HOME: data, PATH: process.env['PATH'] }
const flags = { 'directories.data': data }
const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
const runtime = createRuntime({ config, cacheDir: null })
await runtime.workspaceExec({ session: 's', command }, { cwd: data, env })
process.stdout.write('ready\n')
setInterval(() => {}, 60_000)
