import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Config } from '../../core/config/config.ts'
import {
  locateInstall,
  locateUserInstall,
  type InstallPlaces,
} from '../../core/installing/install-places.ts'
import { checkPlaces } from '../../core/installing/stage-files.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

export interface OpenedPlaces {
  places: InstallPlaces
  config: Config
  projectDir: string
}

/** Folders of this project, or with `--global` of the user. A project in the home folder is the user's. */
export async function openPlaces(context: Context, call: CommandLine): Promise<OpenedPlaces> {
  const { projectDir, config } = await openConfig(context)
  const home = resolve(context.env['HOME'] || homedir())
  const isUser = call.options['global'] === true || projectDir === home
  const places = isUser ? locateUserInstall(home, context.env) : locateInstall(projectDir)
  checkPlaces(places, { allowsLinks: true })
  return { places, config, projectDir }
}
