import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import { createPolicySource } from '../../core/policy/load-policy.ts'
import { createRuntime, type Runtime } from '../../core/runtime.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { formatPlural } from '../../util/quantity.ts'
import { padText } from '../ui/text.ts'
import { readAddress, readSettings } from './open-server.ts'
import { readTokens } from './read-options.ts'

/** The result of one check. */
interface ServeCheck {
  name: 'configuration' | 'tokens' | 'policy' | 'skills' | 'address'
  /** Null if an earlier failure made the check impossible. */
  ok: boolean | null
  detail: string
  hint: string | null
}

const NAME_COLUMNS = 13

/** Checks everything that a server reads at its start, without serving. */
export async function checkServer(context: Context, call: CommandLine): Promise<number> {
  const checks: ServeCheck[] = []
  const check = async <T>(
    name: ServeCheck['name'],
    work: () => Promise<{ detail: string; value: T }>,
  ): Promise<T | undefined> => {
    try {
      const { detail, value } = await work()
      checks.push({ name, ok: true, detail, hint: null })
      return value
    } catch (thrown) {
      const { message, hint = null } = toSkillsError(thrown)
      checks.push({ name, ok: false, detail: message, hint })
      return undefined
    }
  }
  const runtime = await check('configuration', async () => await openCheckedRuntime(context, call))
  const access = await check('tokens', async () => {
    const tokens = await readTokens(context, call)
    const count = tokens?.keys?.().size
    const detail = count === undefined ? 'no token is required' : formatPlural(count, 'token')
    return { value: { tokens }, detail }
  })
  if (runtime) {
    await check('policy', async () => await checkPolicy(runtime))
    await check('skills', async () => await checkSkills(runtime))
  } else {
    for (const name of ['policy', 'skills'] as const) checks.push(createSkippedCheck(name))
  }
  if (runtime && access) {
    await check('address', async () => {
      const address = readAddress(call)
      const { checkAddress } = await import('../../server/serve.ts')
      await checkAddress({ ...address, ...access, runtime })
      return { detail: `${address.host}, port ${address.port || 'any'}`, value: undefined }
    })
  } else checks.push(createSkippedCheck('address'))
  return report(context, checks)
}

async function openCheckedRuntime(context: Context, call: CommandLine) {
  const { config, files } = await openConfig(context, readSettings(call))
  const detail = files.length === 0 ? 'defaults' : files.join(', ')
  return { value: createRuntime({ config }), detail }
}

async function checkPolicy({ config }: Runtime) {
  const { files } = await createPolicySource(config)()
  const detail = files.length === 0 ? 'none' : files.map(({ path }) => path).join(', ')
  return { detail, value: undefined }
}

async function checkSkills({ repository }: Runtime) {
  const entries = removeGuide(await repository.list())
  const broken = (await repository.problems()).filter(
    ({ kind }) => kind !== 'duplicate' && kind !== 'shadowed',
  )
  const [first] = broken
  if (!first) return { detail: formatPlural(entries.length, 'skill'), value: undefined }
  const more = broken.length > 1 ? `, and ${broken.length - 1} more` : ''
  throw new SkillsError('skill/invalid', `Cannot use "${first.path}": ${first.message}${more}`, {
    hint: 'Type "skills lint" to list all problems',
  })
}

function createSkippedCheck(name: ServeCheck['name']): ServeCheck {
  return { name, ok: null, detail: 'not checked, because an earlier check failed', hint: null }
}

function report(context: Context, checks: readonly ServeCheck[]): number {
  const ok = checks.every((each) => each.ok === true)
  if (context.global.json) context.document('skills.serve-check/v1', { ok, checks })
  else {
    const { style } = context
    for (const { name, ok: isOk, detail, hint } of checks) {
      const mark = isOk ? style.green('✓') : isOk === null ? style.dim('-') : style.red('✗')
      context.print(`${mark} ${padText(name, NAME_COLUMNS)}  ${toPrintable(detail)}`)
      if (hint !== null) context.print(`  ${style.dim('→')} ${toPrintable(hint)}`)
    }
  }
  return ok ? 0 : 1
}
