;; -*- lexical-binding: t -*-
;; A user of Emacs who sees a branch by the recipe of the page. Writes what happened, as JSON, to
;; $REPORT; the test beside this file judges it.
(require 'json)
(defvar report nil)
(defvar patience 90)

(defun note (key value) (push (cons key value) report))
(defun text () (buffer-substring-no-properties (point-min) (point-max)))

(defun await (what is-so)
  (let ((end (+ (float-time) patience)))
    (while (not (funcall is-so))
      (when (> (float-time) end) (error "never: %s\n%s" what (text)))
      (sit-for 0.02))))

(defun has (piece) (lambda () (string-match-p (regexp-quote piece) (text))))

(defun ask (method &optional extra)
  (jsonrpc-request (eglot--current-server-or-lose) method
                   (append (eglot--TextDocumentPositionParams) extra)))

(defun at (piece) (goto-char (point-min)) (search-forward piece) (backward-char (length piece)))

;; Eglot begins when a command is over, and a script is none.
(defun as-command (what &rest arguments) (apply what arguments) (run-hooks 'post-command-hook))

(defun session ()
  (load (getenv "RECIPE") nil t)
  (find-file (expand-file-name "main.py" (getenv "FOLDER")))
  (setq create-lockfiles nil make-backup-files nil auto-save-default nil)
  (as-command #'understudy-show (getenv "BRANCH"))
  (await "the branch's text" (has "later_fee("))
  (note 'brought (text))
  (await "diagnostics" (lambda () (flymake-diagnostics)))
  (note 'diagnostics (vconcat (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))
  (at "invoice_text(")
  (note 'definition (ask :textDocument/definition))
  (note 'references (ask :textDocument/references '(:context (:includeDeclaration t))))
  (note 'hover (ask :textDocument/hover))
  (at "\"\"\"Prints one sample invoice.\"\"\"")
  (delete-region (line-beginning-position) (line-end-position))
  (insert "\"\"\"Typed by the user.\"\"\"")
  (save-buffer)
  (note 'is_modified (if (buffer-modified-p) t :json-false))
  (at "invoice_text(")
  (eglot-rename "text_of")
  (await "the new name" (has "print(text_of("))
  (save-buffer)
  (let ((branch (current-buffer)))
    (as-command #'find-file (expand-file-name "invoices/reminders.py" (getenv "FOLDER")))
    (await "its server" #'eglot-current-server)
    (note 'own (jsonrpc-request (eglot-current-server) :understudy/side
                                (list :textDocument (eglot--TextDocumentIdentifier))))
    (at "def ")
    (forward-char 5)
    (note 'own_hover (ask :textDocument/hover))
    (switch-to-buffer branch))
  (understudy-end)
  (note 'after (text)))

(defun main ()
  (let ((code 0))
    (condition-case problem (session)
      (error (note 'problem (format "%S" problem)) (setq code 1)))
    (note 'said (with-current-buffer "*Messages*" (text)))
    (let ((json (json-encode report)))
      (with-temp-file (getenv "REPORT") (insert json)))
    (set-buffer-modified-p nil)
    (let ((kill-emacs-query-functions nil)) (kill-emacs code))))

(run-with-timer 0.1 nil #'main)
