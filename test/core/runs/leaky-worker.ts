// Starts runs that never end, and is killed meanwhile.
import { createRuntime } from '../../../src/core/runtime.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'

const [data = '', mark = '', count = '1'] = process.argv.slice(2)
const env = { HOME: data, PATH: process.env['PATH'] }
const flags = { 'directories.data': data }
const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
const runtime = createRuntime({ config, cacheDir: null })
const code = `import os, time

def main(args):
    for number in range(3):
        if os.fork() == 0:
            os.setsid()
            os.execv("/bin/sleep", [args["mark"], "600"])
    time.sleep(600)
`
for (let at = 0; at < Number(count); at++) {
  const params = { language: 'python' as const, code, args: { mark } }
  void runtime.runCode(params, {
    cwd: data,
    env,
    onEvent: (event) => {
      if (event.type === 'state') process.stdout.write(`${event.state}\n`)
    },
  })
}
