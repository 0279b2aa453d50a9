import { expect, test } from 'vitest'
import { warmRuntime } from './warm-runtime.ts'

test('what a zygote rehearses leaves nothing behind in a run', async () => {
  const { run } = await warmRuntime()
  const { output, isolation } = await run(
    `import builtins, linecache
names = [name for name in sys.modules if "rehears" in name or name.startswith("skills.")]
own = type(builtins.__import__).__name__, [type(each).__name__ for each in sys.meta_path]
names.remove("rehearsal")
places = [each for each in sys.path if "guest" in each]
return [names, own, places, "NAME" in os.environ, sorted(linecache.cache), os.getcwd()]`,
  )
  expect(isolation?.path).toBe('warm')
  expect(output).toEqual([
    [],
    ['SiblingImport', ['SkillFinder', 'type', 'type', 'type']],
    [],
    false,
    ['<code>'],
    '/workspace',
  ])
})

test('a skill that forks has modules mend what its other threads left', async () => {
  const { run } = await warmRuntime()
  const { output } = await run(
    `import threading
held, done = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: (held.set(), done.wait()))
thread.start()
held.wait()
before = threading.active_count()
pid = os.fork()
if pid == 0:
    os._exit(10 + threading.active_count())
_, status = os.waitpid(pid, 0)
done.set()
thread.join()
return [before, os.waitstatus_to_exitcode(status) - 10]`,
  )
  expect(output).toEqual([2, 1])
})

test('garbage is collected in a skill', async () => {
  const { run } = await warmRuntime()
  const { output } = await run(`import gc\nreturn gc.isenabled()`)
  expect(output).toBe(true)
})
