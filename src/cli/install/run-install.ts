import type { InstallResult } from '../../core/installing/installer/candidate.ts'
import { installPending } from '../../core/installing/installer/install-pending.ts'
import { installSources } from '../../core/installing/installer/install-sources.ts'
import type { Installer } from '../../core/installing/installer/installer.ts'
import { restoreInstalled } from '../../core/installing/installer/restore-installed.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { listPending } from '../../core/installing/pending/pending-skills.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { expandSource } from '../../core/sources/expand-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, toFlag, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readChosenNames } from './source-skills.ts'
import { listLocalSkills } from './source-skills.ts'
import { installListed, installRepository } from './install-repository.ts'
import { openInstaller } from './open-installer.ts'
import { reportInstalled } from './report-installed.ts'

/** `skills install`. */
export async function runInstall(context: Context, call: CommandLine): Promise<number> {
  const [source] = call.args
  const results: InstallResult[] = []
  const installer = await openInstaller(context, call, (result) => void results.push(result))
  await recoverInstall(installer.places)
  if (source === undefined) return await restore(context, call, installer)
  if (installer.options.frozen) {
    throw new SkillsError('usage/invalid', '--frozen installs what skills.lock has, not a source', {
      hint: 'Type "skills install --frozen", or omit --frozen',
    })
  }
  try {
    await installSource(context, call, { installer, source })
  } finally {
    // A cancelled installation has installed the skills before.
    if (results.length > 0) reportInstalled(context, installer.places, results)
  }
  const exits = results.flatMap((each) => ('error' in each ? each.error.outcome.exit : []))
  // A missing consent is first: the user can give it.
  return exits.includes(4) ? 4 : (exits[0] ?? 0)
}

/** Installs skills of a source, or lists them. */
async function installSource(
  context: Context,
  call: CommandLine,
  { installer, source }: { installer: Installer; source: string },
): Promise<void> {
  const { cwd } = context
  const text = expandSource(source, cwd)
  const place = parseSkillSource(text, cwd)
  if (place.type === 'git') {
    if (!source.includes(':')) {
      context.note(`There is no folder "${source}" here: ${text} is read`)
    }
    return await installRepository(context, call, { installer, place, text })
  }
  const skills = place.type === 'folder' ? await listLocalSkills(place.path) : []
  if (skills.length > 0) return await installListed(context, call, { installer, text, skills })
  refuseChoice(call, text)
  await installSources(installer, [text], { cwd })
}

/** Other sources are one skill. */
function refuseChoice(call: CommandLine, text: string): void {
  const isChosen = readChosenNames(call).length > 0 || getFlagOption(call, 'all')
  if (!isChosen && !getFlagOption(call, 'list')) return
  const problem = `"${toPrintable(text)}" is the source of one skill: --list, --all and names of skills need a repository`
  throw new SkillsError('usage/invalid', problem, {
    hint: `Type "skills info ${quoteShellWord(toPrintable(text))}" to see it, or name a repository, such as owner/repo`,
  })
}

/** `skills install` without a source. */
async function restore(context: Context, call: CommandLine, installer: Installer): Promise<number> {
  // Options that are about one source would have no effect.
  const option = ['trust', 'skill', 'all', 'allowDowngrade'].find((name) => call.options[name])
  if (option !== undefined) {
    throw new SkillsError('usage/invalid', `${toFlag(option)} needs the source of a skill`, {
      hint: 'Name a source: skills install ./folder, or omit the option',
    })
  }
  reportInstalled(context, installer.places, await restoreInstalled(installer))
  return 0
}

/** `skills install --pending`. */
export async function runInstallPending(context: Context, call: CommandLine): Promise<number> {
  const [name] = call.args
  const installer = await openInstaller(context, call)
  const { places } = installer
  await recoverInstall(places)
  if (name === undefined) printPending(context, places)
  else reportInstalled(context, places, [await installPending(installer, name)])
  return 0
}

function printPending(context: Context, places: InstallPlaces): void {
  const pending = listPending(places).map(({ name, version, source, tree }) => ({
    name,
    version,
    source,
    tree,
  }))
  if (context.global.json) return context.document('skills.pending/v1', { pending })
  const lines = pending.map(
    ({ name, version, source, tree }) => `${name}@${version} ${tree} from ${source}`,
  )
  context.print(
    lines.map((line) => toPrintable(line)).join('\n') ||
      'No skill is pending: none waits for your consent',
  )
  const [first] = pending
  if (first) context.note(`Type "skills install --pending ${first.name}" to see what it may do`)
}
