import { findForeignOption } from '../../core/publishing/open-target.ts'
import { publishSkill } from '../../core/publishing/publish-skill.ts'
import type { ReleaseSigner } from '../../core/publishing/sign-release.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, toFlag, type CommandLine, getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { readPackOptions } from '../pack/pack-options.ts'
import { openConfig } from '../runtime.ts'
import { openUserKeys } from '../signing/open-stores.ts'
import { askPassphrase } from '../signing/passphrase.ts'
import { VERSION } from '../version.ts'
import { openCallTarget, readPublishCall, readTargetOptions } from './publish-call.ts'
import { reportPublication } from './report-publication.ts'
import { runReleaseTests } from './run-release-tests.ts'

/** `skills publish`. */
export async function runPublish(context: Context, call: CommandLine): Promise<number> {
  context.handleInterruption?.()
  checkTargetOptions(call)
  const folder = await findSkillFolder(context, call.args[0] ?? '')
  const target = await openCallTarget(context, call, folder)
  const publication = await publishSkill({
    ...(await openConfig(context)),
    folder,
    target,
    cwd: context.cwd,
    env: context.env,
    call: readPublishCall(context, call),
    limits: readPackOptions({ ...call, options: { ...call.options, format: undefined } }),
    options: {
      allowDirty: getFlagOption(call, 'allowDirty'),
      allowSmallStep: getFlagOption(call, 'allowSmallStep'),
      skipTests: call.options['tests'] === false,
      dryRun: getFlagOption(call, 'dryRun'),
    },
    toolVersion: VERSION,
    signer: findSigner(context, call),
    caller: {
      note: (text) => context.note(text),
      runTests: async (skill) => await runReleaseTests(context, skill),
    },
  })
  return reportPublication(context, target, publication)
}

function findSigner(context: Context, call: CommandLine): ReleaseSigner | undefined {
  const name = getTextOption(call, 'sign')
  if (name === undefined) return undefined
  const ask = async () => await askPassphrase(context, call, { key: name, isNew: false })
  return {
    source: getTextOption(call, 'source'),
    openKey: async () => await openUserKeys(context).open(name, ask),
  }
}

/** Refuses options that would have no effect. */
function checkTargetOptions(call: CommandLine): void {
  const wrong = findForeignOption(getTextOption(call, 'to') ?? '', readTargetOptions(call))
  if (wrong !== undefined) {
    throw new SkillsError('usage/invalid', `${toFlag(wrong)} has no effect on this target`, {
      hint: `Omit ${toFlag(wrong)}; "skills publish --help" names the targets of each option`,
    })
  }
  if (getTextOption(call, 'sign') !== undefined) return
  const unsigned = ['source', 'passphraseFd'].find((key) => call.options[key] !== undefined)
  if (unsigned === undefined) return
  const flag = unsigned === 'source' ? '--source' : '--passphrase-fd'
  throw new SkillsError('usage/invalid', `${flag} needs --sign`, {
    hint: 'Name the key that signs: --sign release',
  })
}
