// @module-tag slow
import { expect, test } from 'vitest'
import { warmRuntime } from './warm-runtime.ts'

test('the rehearsal of a zygote leaves nothing behind in a run', async () => {
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

test('a forking skill has modules that repair the state of its other threads', async () => {
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

test('random numbers differ between runs, regardless of their source', async () => {
  const { run } = await warmRuntime()
  const draw = `import _random, hashlib, random, secrets, ssl, tempfile, uuid
early = _random.Random().getrandbits(50)
return {
    "random": random.random(), "bits": random.getrandbits(50), "shuffled": random.sample(range(10 ** 9), 3),
    "own": random.Random().random(), "early": early, "system": random.SystemRandom().random(),
    "secrets": secrets.token_hex(8), "uuid4": str(uuid.uuid4()), "uuid1": str(uuid.uuid1()),
    "temporary": tempfile.mktemp(), "urandom": os.urandom(8).hex(), "ssl": ssl.RAND_bytes(8).hex(),
    "call": os.getrandom(8).hex(), "salt": hashlib.blake2b(os.urandom(4)).hexdigest()[:8],
}`
  const drawn = await Promise.all([run(draw), run(draw), run(draw)])
  for (const { isolation, error } of drawn) {
    expect([isolation?.path, error]).toEqual(['warm', undefined])
  }
  const values = drawn.map(({ output }) => output as Record<string, unknown>)
  for (const name of Object.keys(values[0] ?? {})) {
    expect([name, new Set(values.map((each) => JSON.stringify(each[name]))).size]).toEqual([
      name,
      3,
    ])
  }
})

test('the process modules of Python work in a fork', async () => {
  const { run } = await warmRuntime()
  const { output, error, isolation } =
    await run(`import asyncio, concurrent.futures, multiprocessing, signal, subprocess, threading
def ring(*_): rung.append(1)
rung = []
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.01)
while not rung: time.sleep(0.01)
async def program():
    child = await asyncio.create_subprocess_exec("/bin/echo", "async", stdout=subprocess.PIPE)
    return (await child.communicate())[0].decode().strip()
def tenfold(pipe, n):
    pipe.send(n * 10)
ours, theirs = multiprocessing.get_context("fork").Pipe()
child = multiprocessing.get_context("fork").Process(target=tenfold, args=(theirs, 4))
child.start()
sent = ours.recv()
child.join()
with concurrent.futures.ThreadPoolExecutor(4) as pool: squares = list(pool.map(lambda n: n * n, range(4)))
timed = []
timer = threading.Timer(0.01, timed.append, [1])
timer.start()
timer.join()
return [rung, subprocess.run(["/bin/echo", "sync"], capture_output=True, text=True).stdout.strip(), asyncio.run(program()), sent, child.exitcode, squares, timed, os.popen("echo shell").read().strip()]`)
  expect([isolation?.path, error]).toEqual(['warm', undefined])
  expect(output).toEqual([[1], 'sync', 'async', 40, 0, [0, 1, 4, 9], [1], 'shell'])
})
