// @module-tag slow
// @module-tag nightly
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toSkillsError } from '../../../src/errors.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createUser } from '../../helpers/user-machine.ts'

const TIMEOUT_MS = 120_000

const HELLO = '#!/bin/sh\necho "hello from $0"\n'

describe('a run with a repository sees', { timeout: TIMEOUT_MS }, () => {
  it('programs of PATH at their own paths, in the order of PATH', async () => {
    const { home, shell } = await createUser({
      'tools/bin/tool': HELLO,
      'tools/lib/data': 'data of the tool',
      'other/bin/tool': HELLO,
      'other/bin/second': HELLO,
    })
    const folders = ['tools/bin', 'other/bin']
    const output = await shell(`tool; second; cat ${home}/tools/lib/data`, { folders })
    expect(output).toBe(
      `hello from ${home}/tools/bin/tool\nhello from ${home}/other/bin/second\ndata of the tool`,
    )
  })

  it('programs that a folder of PATH links to, and the interpreters of its scripts', async () => {
    const { shell } = await createUser(
      {
        'apps/one/bin/one': HELLO,
        'apps/one/lib/x': '',
        'apps/two/bin/two': '#!HOME_DIR/apps/interpreter/bin/run\n',
        'apps/interpreter/bin/run': '#!/bin/sh\necho "interpreted $1"\n',
      },
      {
        links: {
          '.local/bin/one': 'HOME_DIR/apps/one/bin/one',
          '.local/bin/two': '../../apps/two/bin/two',
        },
      },
    )
    const output = await shell('one; two', { folders: ['.local/bin'] })
    expect(output).toMatch(
      /^hello from .*\/\.local\/bin\/one\ninterpreted .*\/\.local\/bin\/two\n$/,
    )
  })

  it('shims of a manager, which select a version by a file of the repository', async () => {
    const shim =
      '#!/bin/bash\nset -e\nexport RBENV_ROOT="HOME_DIR/.rbenv"\nexec "HOME_DIR/.rbenv/libexec/rbenv" exec "${0##*/}" "$@"\n'
    const manager = `#!/bin/bash
version=$(cat "$PWD/.ruby-version" 2>/dev/null || cat "$RBENV_ROOT/version")
shift
exec "$RBENV_ROOT/versions/$version/bin/$@"
`
    const ruby = (version: string) => `#!/bin/sh\necho ruby ${version}\n`
    const { shell } = await createUser({
      '.rbenv/shims/ruby': shim,
      '.rbenv/libexec/rbenv': manager,
      '.rbenv/version': '3.3.1\n',
      '.rbenv/versions/3.3.1/bin/ruby': ruby('3.3.1'),
      '.rbenv/versions/3.2.0/bin/ruby': ruby('3.2.0'),
      'api/.ruby-version': '3.2.0\n',
      'api/sub/keep': '',
    })
    const folders = ['.rbenv/shims']
    expect(await shell('ruby; cd sub; ruby', { folders })).toBe('ruby 3.2.0\nruby 3.3.1\n')
  })

  it('programs behind the shims of a manager that needs its settings', async () => {
    const { shell } = await createUser({
      '.asdf/shims/sometool': '#!/bin/bash\nexec asdf exec "sometool" "$@"\n',
      'manager/asdf': '#!/bin/sh\n[ "$1" = which ] && echo "HOME_DIR/.asdf/installs/k/2/bin/$2"\n',
      '.asdf/installs/k/2/bin/sometool': HELLO,
    })
    const output = await shell('sometool', { folders: ['.asdf/shims', 'manager'] })
    expect(output).toContain('/.asdf/installs/k/2/bin/sometool')
  })

  it('package caches read-only, and their tools read them', async () => {
    const { home, shell } = await createUser({
      'go/pkg/mod/cache/x': 'modules',
      '.npm/_cacache/x': 'packages',
      '.npm/_logs/x': 'logs',
      '.cache/pip/http-v2/x': 'wheels',
      '.m2/repository/x': 'artifacts',
      '.cargo/registry/x': 'crates',
      '.gradle/caches/x': 'jars',
    })
    const code = `cat "$GOMODCACHE/cache/x" "$npm_config_cache/_cacache/x" "$PIP_CACHE_DIR/http-v2/x" "${home}/.m2/repository/x" "$CARGO_HOME/registry/x" "$GRADLE_RO_DEP_CACHE/x"; echo
echo "$MAVEN_OPTS" | grep -o 'repo.local=[^ ]*'
for each in "$GOMODCACHE" "$npm_config_cache/_cacache" "$PIP_CACHE_DIR/http-v2" "${home}/.m2/repository" "$CARGO_HOME/registry"; do
  touch "$each/new" 2>&1 | grep -o 'Read-only file system'
done
ls ${home}/.npm`
    expect(await shell(code)).toBe(
      [
        'modulespackageswheelsartifactscratesjars',
        `repo.local=${home}/.m2/repository`,
        ...Array.from({ length: 5 }, () => 'Read-only file system'),
        '_cacache\n',
      ].join('\n'),
    )
  })

  it('the folders of [[toolchains]] and [[caches]] of the user', async () => {
    const settings = `[[toolchains]]
path = "~/zig"
environment = { ZIG_LIB = "HOME_DIR/zig/lib" }

[[toolchains]]
path = "HOME_DIR/sdk"
bin = ["platform-tools", "cli/bin"]

[[caches]]
path = "HOME_DIR/.cache/uv"
environment = { UV_CACHE_DIR = "HOME_DIR/.cache/uv" }
`
    const { home, shell } = await createUser(
      {
        'zig/bin/zig': HELLO,
        'sdk/platform-tools/adb': HELLO,
        'sdk/cli/bin/cli': HELLO,
        '.cache/uv/x': 'cached',
      },
      { settings },
    )
    const output = await shell(
      'zig; adb; cli; echo $ZIG_LIB; cat $UV_CACHE_DIR/x; touch $UV_CACHE_DIR/y',
    )
    expect(output).toContain(`hello from ${home}/zig/bin/zig\n`)
    expect(output).toContain('/sdk/platform-tools/adb\n')
    expect(output).toContain('/sdk/cli/bin/cli\n')
    expect(output).toContain(`${home}/zig/lib\ncached`)
    expect(output).toContain('Read-only file system')
  })

  it('other caches although one does not exist, which the answer says', async () => {
    const settings = '[[caches]]\npath = "~/one"\n\n[[caches]]\npath = "~/two"\n'
    const { home, run } = await createUser({ 'one/x': 'cached' }, { settings })
    const answer = await run({ runtime: 'shell', code: `cat ${home}/one/x` })
    expect(answer.stdoutSummary).toBe('cached')
    expect(answer.notices?.join()).toMatch(/config\.toml:4: The cache "~\S*two" does not exist/)
  })

  it('nothing of it without a repository, or with run.toolchains = false', async () => {
    const { run, shell } = await createUser({ 'tools/bin/tool': HELLO })
    const folders = ['tools/bin']
    expect(await shell('tool', { folders })).toContain('hello')
    const env = { SKILLS_RUN_TOOLCHAINS: 'false' }
    expect(await shell('tool', { folders, env })).toContain('not found')
    const outside = await run({ runtime: 'shell', code: 'tool', repoId: undefined }, { folders })
    expect(outside.stderrSummary).toContain('not found')
  })
})

describe('a project cannot name folders of the user', () => {
  it.each(['[[toolchains]]\npath = "/opt"\n', '[[caches]]\npath = "/home"\n'])(
    '%j',
    async (text) => {
      const home = createFolder({ 'project/skills.config.toml': text })
      const cwd = join(home, 'project')
      const error = toSkillsError(
        await loadConfig({ cwd, env: { HOME: home } }).catch((thrown: unknown) => thrown),
      )
      expect(error.code).toBe('config/invalid')
      expect(error.message).toContain("only allowed in the user's configuration")
      // Control: the same text is accepted in the user's own file.
      const own = createFolder({ '.config/skills/config.toml': text, 'project/x': '' })
      const loaded = await loadConfig({ cwd: join(own, 'project'), env: { HOME: own } })
      expect([...loaded.config.toolchains, ...loaded.config.caches]).toHaveLength(1)
    },
  )
})

describe('a shim that does not work', { timeout: TIMEOUT_MS }, () => {
  const files = {
    'manager/asdf':
      '#!/bin/sh\necho "No version is set for $2 in HOME_DIR/.tool-versions" >&2\nexit 126\n',
    '.asdf/shims/one': '#!/bin/bash\nexec asdf exec "one" "$@"\n',
    'older/bin/one': '#!/bin/sh\necho older\n',
  }

  it('is reported if another program of its name runs, without paths of this machine', async () => {
    const { home, run } = await createUser(files)
    const folders = ['.asdf/shims', 'manager', 'older/bin']
    const result = await run({ runtime: 'shell', code: 'one' }, { folders })
    expect(result.stdoutSummary).toBe('older\n')
    expect(result.notices).toEqual([
      '"…/one" does not start: No version is set for one in …/.tool-versions; another one runs',
    ])
    expect(JSON.stringify(result)).not.toContain(home)
    // Control: nothing is reported if no other program runs instead.
    const alone = await run({ runtime: 'shell', code: 'one' }, { folders: folders.slice(0, 2) })
    expect(alone).not.toHaveProperty('notices')
    expect(alone.stderrSummary).toContain('not found')
  })
})

describe('tools of the JVM that a shell script starts', { timeout: TIMEOUT_MS }, () => {
  /** Finds itself by its links, as the scripts of Maven, Gradle and Kotlin do. */
  const launcher = `#!/bin/sh
app=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd -P)
exec "$JAVA_HOME/bin/java" $GRADLE_OPTS -cp "$app/lib/tool.jar" Main "$@"
`
  const java = `#!/bin/sh
home=$(cd "$(dirname "$0")/.." && pwd -P)
case "$*" in *XshowSettings*) echo "    java.home = $home"; exit;; esac
echo "java of $(cat "$home/release") started with: $*"
`

  it('find their own files and the JDK of a manager, with a bounded heap', async () => {
    const { home, shell } = await createUser(
      {
        '.sdkman/candidates/gradle/8.5/bin/gradle': launcher,
        '.sdkman/candidates/gradle/8.5/lib/tool.jar': 'x',
        '.sdkman/candidates/java/21-tem/bin/java': java,
        '.sdkman/candidates/java/21-tem/bin/javac': java,
        '.sdkman/candidates/java/21-tem/lib/modules': 'x',
        '.sdkman/candidates/java/21-tem/release': '21-tem',
        '.gradle/caches/modules-2/x': 'cached',
      },
      {
        links: {
          '.sdkman/candidates/gradle/current': '8.5',
          '.sdkman/candidates/java/current': '21-tem',
        },
      },
    )
    const folders = ['.sdkman/candidates/gradle/current/bin', '.sdkman/candidates/java/current/bin']
    const env = { JAVA_HOME: join(home, '.sdkman/candidates/java/current') }
    for (const options of [{ folders }, { folders: folders.slice(0, 1), env }]) {
      const output = await shell('gradle build; cat $GRADLE_RO_DEP_CACHE/modules-2/x', options)
      expect(output).toContain('java of 21-tem started with:')
      expect(output).toMatch(
        /-XX:MaxRAM=\d+ .*\/gradle\/[\w.]+\/lib\/tool\.jar Main build\ncached$/,
      )
    }
  })

  it.skipIf(!existsSync('/usr/bin/mvn'))(
    'such as Maven, with its local repository (needs maven)',
    async () => {
      const { home, shell } = await createUser({
        '.m2/repository/x': 'x',
        '.m2/settings.xml': 'not XML',
        'api/pom.xml':
          '<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version></project>',
      })
      const output = await shell('mvn -o -B validate -X')
      expect(output).toContain('BUILD SUCCESS')
      expect(output).toContain(`${home}/.m2/repository`)
    },
  )
})
