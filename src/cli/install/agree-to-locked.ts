import { findUncheckedHint } from '../../core/installing/install-rules.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openUserConsents } from '../signing/open-stores.ts'
import { askConsent } from './ask-consent.ts'
import { deniedInstallError } from './check-signatures.ts'
import { describeInstall } from './describe-install.ts'
import type { LockedSource } from './fetch-locked.ts'
import { examineStaged } from './examine-staged.ts'

/**
 * The consent to an entry of the lock. `--frozen` trusts a lock that was reviewed; otherwise the
 * user has agreed to these files on this machine, or is asked.
 */
export async function agreeToLocked(
  context: Context,
  call: CommandLine,
  { locked, skill, signers, attestations, signature, staged }: LockedSource & { staged: string },
): Promise<void> {
  const lost = locked.signers.filter((name) => !signers.includes(name))
  if (call.options['frozen'] === true) {
    if (lost.length === 0) return
    throw deniedInstallError(
      `"${locked.name}" was signed by ${lost.join(', ')}, whose signature does not count here`,
      findUncheckedHint(attestations),
    )
  }
  const consents = openUserConsents(context)
  if (lost.length === 0 && consents.has(skill.tree)) return
  const examined = await examineStaged(context, call, { dir: staged, source: locked.source })
  const problems = [
    ...lost.map((name) => `the signature of ${name}, which skills.lock has, does not count here`),
    ...examined.problems,
  ]
  const by = await askConsent(context, call, {
    skill,
    before: undefined,
    shown: describeInstall({
      skill,
      source: locked.source,
      resolved: locked.resolved,
      signature,
      attestations,
      before: undefined,
      ...examined,
      problems,
    }),
    vetting: examined.vetting,
    consents,
  })
  if (by !== undefined) return
  throw new SkillsError(
    'consent/required',
    `The skill "${locked.name}" of skills.lock is not installed without a consent`,
    {
      hint: 'Read it, and type "skills install --yes"; "skills install --frozen" trusts a reviewed lock',
      data: { tree: skill.tree },
    },
  )
}
