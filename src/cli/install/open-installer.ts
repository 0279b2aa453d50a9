import type { InstallCandidate, InstallResult } from '../../core/installing/installer/candidate.ts'
import type {
  InstallCaller,
  Installer,
  InstallOptions,
} from '../../core/installing/installer/installer.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { getFlagOption, getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import {
  findSigstoreRoots,
  openUserArchives,
  openUserConsents,
  openUserTrust,
} from '../signing/open-stores.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { offerAgents } from './offer-agents.ts'
import { describeConsent } from './describe-consent.ts'
import { openPlaces } from './open-places.ts'

/** An installer for the folders, the user and the options of a command line. */
export async function openInstaller(
  context: Context,
  call: CommandLine,
  report: (result: InstallResult) => void = () => {},
): Promise<Installer> {
  const { places, config, projectDir } = await openPlaces(context, call)
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
    options: readInstallOptions(call),
    caller: createCaller(context, call, { places, report }),
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
  { places, report }: Pick<Installer, 'places'> & Pick<InstallCaller, 'report'>,
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
    offerAgents: async (candidate: InstallCandidate) =>
      await offerAgents(context, call, { ...candidate, places }),
    async runTrials(folder, source) {
      const { runVetTrials } = await import('../vet/run-trials.ts')
      return await runVetTrials(context, call, { folder, source })
    },
  }
}
