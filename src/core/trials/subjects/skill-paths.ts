import type { SkillSource } from '../../skills/manifest/source.ts'

/** Names with which documents mean the folder of the skill. */
const FOLDER_NAMES =
  /\$\{?(?:CLAUDE_SKILL_DIR|CLAUDE_PLUGIN_ROOT|SKILL_DIR|SKILL_ROOT|SKILL_PATH)\}?|\{(?:baseDir|skill_dir|skillDir|SKILL_DIR)\}|<(?:skill[-_ ]?(?:dir|path|folder|root))>/gi
const PATH_START = String.raw`(?<![\w@:-])(?:(?:~|\.{1,2}|[\w.$-]+)\/)*`

/** Replaces the paths of a skill's files in a documented command by those of the sandbox. */
export function useSkillPaths(
  text: string,
  { files }: Pick<SkillSource, 'files'>,
  folder: string,
): string {
  const placed = text.replace(FOLDER_NAMES, folder)
  const paths = files.filter(
    ({ path, type }) => type === 'file' && /\//.test(path) && text.includes(path),
  )
  return paths.reduce(
    (result, { path }) =>
      result.replace(new RegExp(`${PATH_START}${escapePattern(path)}(?![\\w/-])`, 'g'), (found) =>
        found.startsWith(folder) ? found : `${folder}/${path}`,
      ),
    placed.replaceAll(`${folder}/`, `${folder}/`),
  )
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}-]/g, String.raw`\$&`)
}
