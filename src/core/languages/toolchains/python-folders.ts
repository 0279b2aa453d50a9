import { join } from 'node:path'

/** Folders in which version managers install Python, below the user's home folder. */
const IN_HOME = [
  '.pyenv/versions',
  '.asdf/installs/python',
  '.rye/py',
  'anaconda3',
  'mambaforge',
  'miniconda3',
  'miniforge3',
]
const IN_DATA = ['uv/python', 'mise/installs/python', 'hatch/pythons', 'pdm/python']

/** Lists the folders in which version managers install Python for their user. */
export function listPythonFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = env['HOME'] ?? ''
  const data = env['XDG_DATA_HOME'] || join(home, '.local/share')
  const moved: [variable: string, folder: string][] = [
    ['PYENV_ROOT', 'versions'],
    ['ASDF_DATA_DIR', 'installs/python'],
    ['MISE_DATA_DIR', 'installs/python'],
    ['UV_PYTHON_INSTALL_DIR', ''],
  ]
  return [
    ...IN_HOME.map((folder) => join(home, folder)),
    ...IN_DATA.map((folder) => join(data, folder)),
    ...moved.flatMap(([variable, folder]) => {
      const root = env[variable]
      return root === undefined ? [] : [join(root, folder)]
    }),
  ].filter((folder) => folder.startsWith('/'))
}
