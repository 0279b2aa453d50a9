/**
 * Python that reads the rest of the guest from stdin, with as few characters as possible: it is an
 * argument, and `placing.py` does everything else.
 */
export const BOOT_CODE = [
  'import os',
  'def read(n):',
  ' b=[]',
  ' while n>0:',
  '  c=os.read(0,min(n,1048576))',
  '  if not c:raise SystemExit(75)',
  '  b.append(c);n-=len(c)',
  ' return b"".join(b)',
  's={"__name__":"placing"}',
  'exec(compile(read(int.from_bytes(read(4),"big")),"placing","exec"),s)',
  's["main"](read)',
].join('\n')
