/** Folder of a project in which runs of evals are saved; models wrote the files in it. */
export const EVAL_RESULTS_FOLDER = 'skills-evals'

/**
 * Folders of version control, installed packages, caches, editors and runs of evals. Other folders are searched,
 * also those with a leading dot: hosts keep skills in .claude, .github, .agents or .codex.
 */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  '.bundle',
  '.cache',
  '.direnv',
  '.eggs',
  '.git',
  '.gradle',
  '.hg',
  '.idea',
  '.mypy_cache',
  '.next',
  '.nox',
  '.npm',
  '.nuxt',
  '.pnpm-store',
  '.pytest_cache',
  '.ruff_cache',
  '.svn',
  '.terraform',
  '.tox',
  '.turbo',
  '.venv',
  '.yarn',
  '__pycache__',
  'node_modules',
  EVAL_RESULTS_FOLDER,
  'venv',
])

/** True for folders in which authors keep skills, by name. */
export function isSearchedFolder(name: string): boolean {
  return !SKIPPED_FOLDERS.has(name)
}

/** Folders of a project in which hosts find skills; `skills` comes first. */
export const PROJECT_SKILL_FOLDERS: readonly string[] = [
  'skills',
  '.agents/skills',
  '.claude/skills',
  '.codex/skills',
  '.cursor/skills',
  '.gemini/skills',
  '.github/skills',
  '.opencode/skills',
]
