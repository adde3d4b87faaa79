vim9script
# A user of Vim who sees a branch by the recipe of the page. Writes what happened, as JSON, to
# $REPORT; the test beside this file judges it.
var report: dict<any> = {}

def Text(): string
  return getline(1, '$')->join("\n") .. "\n"
enddef

def Await(what: string, IsSo: func(): bool)
  var begun = reltime()
  while !IsSo()
    if reltimefloat(reltime(begun)) > 90
      throw $'never: {what}: {Text()} {execute("messages")}'
    endif
    sleep 10m
  endwhile
enddef

def At(piece: string)
  cursor(1, 1)
  if search('\V' .. piece, 'cw') == 0
    throw $'no {piece}'
  endif
enddef

def Asked(command: string): list<string>    # the location list that a command brings
  edit main.py
  Await("the branch's text again", () => Text() =~ 'later_fee(')
  At('invoice_text(')
  setloclist(0, [])
  execute command
  Await(command, () => len(getloclist(0)) > 0)
  return getloclist(0)->mapnew((_, one) => $'{bufname(one.bufnr)}:{one.lnum}: {one.text}')
enddef

def Session()
  execute 'cd ' .. fnameescape($FOLDER)
  edit main.py
  execute 'source ' .. fnameescape($RECIPE)
  execute 'Understudy ' .. $BRANCH
  Await("the branch's text", () => Text() =~ 'later_fee(')
  report.brought = Text()
  Await('diagnostics', () =>
    getqflist()->mapnew((_, one) => one.text)->match('"later_fee" is not defined') >= 0)
  report.diagnostics = getqflist()->mapnew((_, one) => one.text)

  At('invoice_text(')
  execute 'UnderstudyHover'
  Await('hover', () => len(popup_list()) > 0)
  report.hover = getbufline(winbufnr(popup_list()[0]), 1, '$')
  popup_clear()
  report.definition = Asked('UnderstudyDefinition')
  report.references = Asked('UnderstudyReferences')
  edit main.py
  Await("the branch's text in the end", () => Text() =~ 'later_fee(')

  setline(1, '"""Typed by the user."""')
  write
  report.is_modified = &modified
  At('invoice_text(')
  execute 'UnderstudyRename text_of'
  Await('the new name', () => Text() =~ 'print(text_of(')
  write
  execute 'UnderstudyEnd'
  report.after = Text()
enddef

var code = 0
try
  Session()
catch
  report.problem = v:exception .. ' ' .. v:throwpoint
  code = 1
endtry
report.said = execute('messages')
writefile([json_encode(report)], $REPORT)
if code == 0
  qall!
endif
cquit!
