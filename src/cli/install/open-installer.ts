import { whileFetching } from '../access/while-fetching.ts'
import { getFlagOption, getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { describeConsent } from './describe-consent.ts'
import { openPlaces } from './open-places.ts'
import {
  findSigstoreRoots,
  openUserArchives,
  openUserConsents,
  openUserTrust,
} from '../signing/open-stores.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import type { AgentDefinition } from '../../core/installing/agents/agent-table.ts'
import type { InstallResult } from '../../core/installing/installer/candidate.ts'
import type {
  InstallCaller,
  InstallOptions,
  Installer,
} from '../../core/installing/installer/installer.ts'

/** An installer for the folders, the user and the options of a command line. */
export async function openInstaller(
  context: Context,
  call: CommandLine,
  report: (result: InstallResult) => void = () => {},
): Promise<Installer> {
  const { places, config, projectDir } = await openPlaces(context, call)
  const options = readInstallOptions(call)
  return {
    places,
    config,
    projectDir,
    env: context.env,
    signal: context.signal,
    trust: openUserTrust(context),
    consents: openUserConsents(context),
    archives: openUserArchives(context),
    sigstoreRoots: findSigstoreRoots(context, call),
    options,
    caller: createCaller(context, call, { options, report }),
  }
}

function readInstallOptions(call: CommandLine): InstallOptions {
  return {
    trust: getListOption(call, 'trust'),
    yes: getFlagOption(call, 'yes'),
    force: getFlagOption(call, 'force'),
    frozen: getFlagOption(call, 'frozen'),
    allowDowngrade: getFlagOption(call, 'allowDowngrade'),
    allowRepublished: getFlagOption(call, 'allowRepublished'),
    agents: getListOption(call, 'agent'),
    copy: getFlagOption(call, 'copy'),
  }
}

/** Asks on a terminal, and prints to standard error. */
function createCaller(
  context: Context,
  call: CommandLine,
  { options, report }: Pick<Installer, 'options'> & Pick<InstallCaller, 'report'>,
): InstallCaller {
  return {
    report,
    fetching: async (source, work) => await whileFetching(context, source, work),
    note: (text) => context.noteOnce(text),
    show: (facts) => context.note(describeConsent(facts)),
    async agree(facts) {
      if (!context.isInteractive) return undefined
      // A consent needs the text that --quiet hides.
      if (context.global.quiet) context.stderr.write(`${describeConsent(facts)}\n`)
      const message = `Install ${facts.skill.name}?`
      return await confirmByPrompt(context, { message, initialValue: false })
    },
    offerAgents: async (offered) => await offerAgents(context, options, offered),
    async runTrials(folder, source) {
      const { runVetTrials } = await import('../vet/run-trials.ts')
      return await runVetTrials(context, call, { folder, source })
    },
  }
}

/** Asks on a terminal whether to link a skill for agents, and else names the option. */
async function offerAgents(
  context: Context,
  { yes, trust }: InstallOptions,
  offered: readonly AgentDefinition[],
): Promise<boolean> {
  const names = offered.map(({ name }) => name).join(', ')
  const reason = `${names} ${offered.length === 1 ? 'does' : 'do'} not read .agents/skills`
  if (context.isInteractive && !yes && trust.length === 0) {
    const message = `${reason}. Link the skill for ${offered.length === 1 ? 'it' : 'them'}?`
    return await confirmByPrompt(context, { message, initialValue: true })
  }
  const flags = offered.map(({ id }) => `--agent ${id}`).join(' ')
  context.note(`${reason}: link the skill with ${flags}`)
  return false
}
