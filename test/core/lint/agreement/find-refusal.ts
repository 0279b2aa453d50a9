import { loadConfig } from '../../../../src/core/config/load-config.ts'
import type { PlainObject, SkillInput } from '../../../../src/core/skills/manifest/manifest.ts'
import { describeSkill } from '../../../../src/core/methods/describe-skill/handler.ts'
import { executeSkill } from '../../../../src/core/methods/execute-skill/handler.ts'
import type { SkillEntry } from '../../../../src/core/skills/repository/repository.ts'
import { planNetwork } from '../../../../src/core/runs/network/plan-network.ts'
import { createRuntime, type Runtime } from '../../../../src/core/runtime.ts'
import { createFolder } from '../../../helpers/skills.ts'

/** Errors that occur before the skill's function is called. */
const NOT_CALLED = ['EntrypointNotFound', 'ValidationError']

/** Opens a runtime with these roots and the backend that every machine has. */
export async function openRuntimeWithRoots(roots: readonly string[]): Promise<Runtime> {
  const data = createFolder()
  const flags = { 'directories.data': data, 'run.backend': 'process' }
  const env = { HOME: data, PATH: process.env['PATH'] }
  const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
  return createRuntime({ config: { ...config, roots }, cacheDir: null })
}

/** Returns the reason why a skill cannot be listed, described or started; undefined if it can. */
export async function findRefusal(runtime: Runtime, dir: string): Promise<string | undefined> {
  const entries = await runtime.repository.list()
  const entry = entries.find((each) => each.dir === dir)
  if (!entry) return 'it is not listed'
  try {
    const { name, version } = entry
    await describeSkill(runtime, { name, version, detail: 'full' })
    return entry.kind === 'action' ? await findRunRefusal(runtime, entry) : undefined
  } catch (error) {
    return String(error)
  }
}

async function findRunRefusal(
  runtime: Runtime,
  { name, version, dir, ...entry }: SkillEntry,
): Promise<string | undefined> {
  const { permissions, inputs } = await runtime.repository.manifest({
    ...entry,
    name,
    version,
    dir,
  })
  // This backend filters no network, so the check of other backends is called here.
  planNetwork(permissions.network, [])
  const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
  const { error } = await executeSkill(
    runtime,
    { name, version, args: createArguments(inputs) },
    call,
  )
  return error && NOT_CALLED.includes(error.type) ? `${error.type}: ${error.message}` : undefined
}

/** Creates strings for required inputs only: the others use their defaults. */
function createArguments(inputs: Readonly<Record<string, SkillInput>>): PlainObject {
  const needed = Object.entries(inputs).filter(
    ([, input]) => input.required && input.default === undefined,
  )
  return Object.fromEntries(
    needed.map(([name, { enum: allowed }]) => [name, allowed?.[0] ?? 'text']),
  )
}
