import { executeEntry } from '../../../src/core/methods/execute-skill/handler.ts'
import { readEntryAt } from '../../../src/core/skills/repository/open-repository.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, createRuntimeIn } from './run-python.ts'

const MIB = 1024 ** 2

/** Kinds of runs, each with its expected result and its share of a thousand runs. */
export const RUN_KINDS: Readonly<Record<string, { code: string; says: string; share: number }>> = {
  ok: { code: 'open("a", "w").write("x")\nreturn 1', says: 'completed', share: 400 },
  crash: { code: 'ctypes.string_at(0)', says: 'Killed', share: 150 },
  timeout: { code: 'time.sleep(60)', says: 'Timeout', share: 100 },
  daemon: {
    code: 'if os.fork() == 0:\n    os.setsid()\n    os.execv("/bin/sleep", [args["mark"], "600"])\nreturn 1',
    says: 'completed',
    share: 150,
  },
  'fork bomb': { code: 'while True: os.fork()', says: 'ProcessLimit', share: 50 },
  flood: { code: 'while True: os.write(1, b"x" * 4096)', says: 'OutputLimit', share: 100 },
  memory: { code: 'x = []\nwhile True: x.append(b"x" * 1000000)', says: 'MemoryLimit', share: 50 },
}

/** Starts runs of any kind, as often as requested. */
export async function openLeakyRuns(data: string, mark: string) {
  const runtime = await createRuntimeIn(data, {
    'run.limits.memory': 96 * MIB,
    'run.limits.output': MIB / 4,
    'run.limits.processes': 16,
  })
  const entries = new Map<string, Awaited<ReturnType<typeof readEntryAt>>>()
  for (const [name, { code }] of Object.entries(RUN_KINDS)) {
    const toml = `name = "test.leaky"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n`
    entries.set(
      name,
      await readEntryAt(createFolder({ 'skill.toml': toml, 'code/main.py': buildMain(code) })),
    )
  }
  return async (kind: string): Promise<string> => {
    const { status, error } = await executeEntry(
      runtime,
      {
        entry: entries.get(kind) as Awaited<ReturnType<typeof readEntryAt>>,
        args: { mark },
        input_blobs: [],
        timeout_ms: kind === 'timeout' ? 200 : 60_000,
      },
      { cwd: data, env: { PATH: process.env['PATH'] } },
    )
    return error?.type ?? status
  }
}
