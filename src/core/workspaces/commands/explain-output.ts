/** Explains errors that only a workspace causes, for the warnings of a result. */
export function explainOutput(text: string): string[] {
  const folder = /Unable to create directory '(\/workspace\/\S+\/\.venv)'/.exec(text)?.[1]
  return folder === undefined
    ? []
    : [
        `${folder} is a link, which venv refuses: type python3 -m venv "$(realpath ${folder})", whose programs come first in PATH`,
      ]
}
