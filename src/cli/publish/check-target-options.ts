import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'

/** Options of one kind of target: the key, the flag, and the beginnings of such targets. */
const TARGET_OPTIONS: readonly (readonly [key: string, flag: string, schemes: RegExp])[] = [
  ['baseUrl', '--base-url', /^site:/],
  ['siteName', '--site-name', /^site:/],
  ['out', '--out', /^git:/],
  ['push', '--push', /^git:/],
  ['tag', '--tag', /^npm:/],
  ['tokenFile', '--token-file', /^https?:/],
]

/** Refuses options that would have no effect. */
export function checkTargetOptions(call: CommandLine): void {
  const target = getTextOption(call, 'to') ?? ''
  const wrong = TARGET_OPTIONS.find(
    ([key, , schemes]) => call.options[key] !== undefined && !schemes.test(target),
  )
  if (wrong) {
    throw new SkillsError('usage/invalid', `${wrong[1]} has no effect on this target`, {
      hint: `Omit ${wrong[1]}; "skills publish --help" names the targets of each option`,
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
