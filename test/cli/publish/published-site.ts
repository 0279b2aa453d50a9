import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'

/** A project with the skill `greet`, and a folder for a site. */
export interface SiteProject {
  cwd: string
  home: string
  skill: string
  site: string
  run(...argv: string[]): Promise<CliResult>
  /** Publishes the skill to the site. */
  publish(...options: string[]): Promise<CliResult>
  /** Replaces a text of a file of the skill. */
  edit(file: string, before: string, after: string): void
}

export function createSiteProject(files: Record<string, string> = {}): SiteProject {
  const tree = { ...createActionSkill('demo.greet'), ...files }
  const cwd = createFolder(prefixPaths('skills/greet', tree))
  const home = createFolder()
  const skill = join(cwd, 'skills/greet')
  const run = async (...argv: string[]) => await runSkills(argv, { cwd, env: { HOME: home } })
  return {
    cwd,
    home,
    skill,
    site: join(cwd, 'public'),
    run,
    publish: async (...options) =>
      await run('publish', './skills/greet', '--to', 'site:./public', '--no-tests', ...options),
    edit(file, before, after) {
      const path = join(skill, file)
      const text = readFileSync(path, 'utf8')
      if (!text.includes(before)) throw new Error(`${file} has no ${before}`)
      writeFileSync(path, text.replace(before, after))
    },
  }
}

/** All files below a folder, except the publishers' lock: contents by path. */
export function readFiles(folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true })
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((each) => each.isFile() && !each.parentPath.includes('.skills-publish'))
    .map((each) => join(each.parentPath, each.name))
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, 'latin1')]),
  )
}

/** The discovery index of a site. */
export function readDiscovery(site: string): {
  skills: { name: string; url: string; digest: string; version: string }[]
} {
  return JSON.parse(
    readFileSync(join(site, '.well-known/agent-skills/index.json'), 'utf8'),
  ) as ReturnType<typeof readDiscovery>
}
