import { resolve } from 'node:path'
import { processUser } from '../../../core/runs/process-user.ts'
import { SkillsError } from '../../../errors.ts'
import { pushPolicy, readPolicy } from '../../../fleet/access/stored-policy.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { readTextUpTo } from '../../../util/bytes/read-up-to.ts'
import type { CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { useFleetEngine } from '../open-fleet.ts'

const MAX_BYTES = 1024 ** 2

/** `skills fleet policy push`. */
export async function pushFleetPolicy(context: Context, call: CommandLine): Promise<number> {
  const [file = ''] = call.args
  const text = readPolicyText(context, file)
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const { digest } = await pushPolicy(engine, { file, text, by: processUser() })
    if (context.global.json) context.document('skills.fleet-policy-push/v1', { digest })
    else context.print(`pushed ${digest}`)
    return 0
  })
}

/** `skills fleet policy show`. */
export async function showFleetPolicy(context: Context, call: CommandLine): Promise<number> {
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const policy = (await readPolicy(engine)) ?? null
    if (context.global.json) context.document('skills.fleet-policy/v1', { policy })
    else if (policy === null) context.note('The fleet has no policy: those of its workers decide')
    else {
      context.stdout.write(policy.text)
      context.note(`Pushed by ${policy.by} at ${policy.at}: ${policy.digest}`)
    }
    return 0
  })
}

function readPolicyText({ cwd }: Context, file: string): string {
  try {
    return readTextUpTo(resolve(cwd, file), MAX_BYTES)
  } catch (cause) {
    throw new SkillsError('usage/invalid', `Cannot read the policy "${file}"`, {
      hint: 'Check its path and permissions',
      cause,
    })
  }
}
