=201
-1
+INFER = b"/v2/models/pytorch-service/infer"
=70
